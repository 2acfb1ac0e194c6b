import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_SCRIPTS } from './scripts.ts'
import type { Report } from './tree.ts'

/** `# Unflushed "$fresh", "$other": reason` excuses every change of these names in its file. */
const EXCUSE = /^\s*# Unflushed (?<names>[^:]+): \S/
/** A program that changes names, at the place of a command. */
const CHANGE =
  /(?:^|[;&|({'!]|\b(?:then|do|else|if)\s|-exec\s)\s*(?<program>mv|ln|rm|rmdir|unlink)\s(?<rest>.*)/
/** With one name, or as a function of several. */
const FLUSH =
  /(?:^|[;&|({!]|\b(?:then|do|else|if)\s)\s*(?:flush_\w+|(?:flush|sync(?: -f)?) (?<name>"[^"]*"|\S+))/g
const WORD = /"(?:\$\([^()]*\)|[^"\\]|\\.)*"|'[^']*'|\{\}|[^\s;|&(){}'"]+/y

/** How many lists of commands later the flush may be. */
const LATER = 3

interface Script {
  readonly path: string
  readonly text: string
}

/**
 * Every mv, ln, rm and rmdir in a script for Nodes is followed by a flush, in the same list of commands or in one of the next
 * three (decision 0112), or the script says why not.
 */
export function flushes(root: string): Report {
  const paths = globSync(NODE_SCRIPTS, { cwd: root })
    // Its stand-ins run on no Node.
    .filter((path) => !path.startsWith('packages/testing/'))
    .toSorted()
  const found = paths.map((path) => readScript({ path, text: readFileSync(join(root, path), 'utf8') }))
  return {
    seen: found.reduce((sum, { changes }) => sum + changes, 0),
    unit: 'changes of names in scripts',
    problems: found.flatMap(({ problems }) => problems),
  }
}

/** How many changes of names a script has, and a line for each that is neither flushed nor excused, and each idle excuse. */
export function readScript({ path, text }: Script): {
  readonly changes: number
  readonly problems: string[]
} {
  const excused = new Map(
    text
      .split('\n')
      .flatMap((line) =>
        namesOf(line).map((name): [string, { isUsed: boolean }] => [name, { isUsed: false }]),
      ),
  )
  const lists = commandLists(text)
  let changes = 0
  const problems = lists.flatMap(({ line, text: list }, index) =>
    changesOf(list).flatMap(({ program, names, rest }) => {
      changes += 1
      const next = lists.slice(index + 1, index + 1 + LATER)
      if ([rest, ...next.map((later) => later.text)].some((later) => flushesBeside(later, names))) return []
      const excuses = names.map((name) => excused.get(name))
      for (const excuse of excuses) if (excuse) excuse.isUsed = true
      return excuses.every((excuse) => excuse)
        ? []
        : [`${path}:${line}  ${program} ${names.join(' ')} is not flushed`]
    }),
  )
  const idle = [...excused].filter(([, { isUsed }]) => !isUsed)
  return {
    changes,
    problems: [...problems, ...idle.map(([name]) => `${path}  nothing needs the excuse for ${name}`)],
  }
}

/** The content of a changed file alone is not its name. */
const flushesBeside = (list: string, names: readonly string[]): boolean =>
  [...list.matchAll(FLUSH)].some(({ groups }) => !names.includes(groups?.['name'] ?? ''))

const namesOf = (line: string): readonly string[] => EXCUSE.exec(line)?.groups?.['names']?.split(', ') ?? []

/** Lines without comments, those that `&&`, `||` and `\` continue joined. */
function commandLists(text: string): readonly { readonly line: number; readonly text: string }[] {
  const lists: { line: number; text: string }[] = []
  let isContinued = false
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/(?:^|\s)#.*$/, '').trim()
    if (line === '') continue
    const last = lists.at(-1)
    if (isContinued && last) last.text += ` ${line}`
    else lists.push({ line: index + 1, text: line })
    isContinued = /(?:&&|\|\||\\)$/.test(line)
  }
  return lists
}

interface Change {
  readonly program: string
  readonly names: readonly string[]
  /** What follows it in the list. */
  readonly rest: string
}

function changesOf(list: string): readonly Change[] {
  const { program = '', rest = '' } = CHANGE.exec(list)?.groups ?? {}
  if (program === '') return []
  const words: string[] = []
  let at = 0
  for (;;) {
    while (rest[at] === ' ') at += 1
    WORD.lastIndex = at
    const [word] = WORD.exec(rest) ?? []
    if (word === undefined) break
    words.push(word)
    at = WORD.lastIndex
  }
  const operands = words.filter((word) => !word.startsWith('-') && word !== '+' && !/^\d?>/.test(word))
  const after = rest.slice(at)
  // The link is the new name; what it shows is not changed.
  return [
    { program, names: program === 'ln' ? operands.slice(-1) : operands, rest: after },
    ...changesOf(after),
  ]
}
