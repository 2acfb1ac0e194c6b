import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from './tree.ts'

/** Programs of Nodes, and what installs, starts and checks the project itself. */
export const NODE_SCRIPTS = '{packages,apps}/*/src/**/*.sh'
const OWN_SCRIPTS = ['tools/**/*.sh', '.ci/run', 'fleet']

/** Decides for each longer script why it is no typed command of the executable. */
const LONG_SCRIPTS = 'docs/decisions/0092-which-programs-stay-scripts.md'
const LONG = 60

const PARSER = 'sh-syntax'

/** What a reader of scripts came to: one line for each problem, or why it could read nothing. */
type Reading = { readonly problems: readonly string[] } | { readonly missing: string }

/**
 * Shell scripts, read by a parser from the registry and by shellcheck where it is installed. A script without a shebang
 * is POSIX: what runs it on a Node is `sh`.
 */
export async function scripts(root: string, path = process.env['PATH'] ?? ''): Promise<Report> {
  const onNodes = globSync(NODE_SCRIPTS, { cwd: root }).toSorted()
  // Those of the project itself are always there: without one for Nodes, the check looks in the wrong place.
  if (onNodes.length === 0) return { seen: 0, unit: 'scripts for Nodes', problems: [] }
  const all = [...onNodes, ...globSync(OWN_SCRIPTS, { cwd: root }).toSorted()]
  const readings = [await parseAll(root, all), await shellcheck(root, all, path)]
  const missing = readings.flatMap((reading) => ('missing' in reading ? reading.missing : []))
  const problems = readings.flatMap((reading) => ('missing' in reading ? [] : reading.problems))
  const unread = missing.length === readings.length ? missing : []
  return {
    seen: all.length,
    unit: 'scripts',
    problems: [...longScripts(root, onNodes), ...unquotedNames(root), ...problems, ...unread],
    note: [`${onNodes.length} of them for Nodes`, ...missing].join('; '),
  }
}

function longScripts(root: string, paths: readonly string[]): readonly string[] {
  const page = join(root, LONG_SCRIPTS)
  const reasons = existsSync(page) ? readFileSync(page, 'utf8') : ''
  return paths.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length
    const name = path.replace(/^packages\/(?:fleet\/src\/)?/, '')
    return lines <= LONG || reasons.includes(`\`${name}\``)
      ? []
      : [
          `${path}  ${lines} lines: make it a typed command of the executable, or add its reason to ${LONG_SCRIPTS}`,
        ]
  })
}

/** The release is one file: what a module reads from beside it becomes part of that only under a name in quotes. */
const unquotedNames = (root: string): readonly string[] =>
  globSync('{packages,apps}/*/src/**/*.ts', { cwd: root })
    .toSorted()
    .filter((path) => /\btextFile\(\s*[^'\s)][^)]*import\.meta/.test(readFileSync(join(root, path), 'utf8')))
    .map((path) => `${path}  a text file whose name is not in quotes: the release cannot have it`)

/** What the check uses of the parser. */
interface Parser {
  readonly LangVariant: { readonly LangBash: number; readonly LangPOSIX: number }
  parse(text: string, options: { readonly filepath: string; readonly variant: number }): Promise<unknown>
}

async function parseAll(root: string, paths: readonly string[]): Promise<Reading> {
  const parser = await load(PARSER)
  if (parser === undefined) return { missing: `${PARSER} is not installed: npm ci` }
  const problems = await Promise.all(paths.map((path) => parseOne(parser, root, path)))
  return { problems: problems.filter((problem) => problem !== undefined) }
}

async function load(name: string): Promise<Parser | undefined> {
  try {
    // Named by a variable: where packages are older than the lock, the other checks still have to compile.
    return (await import(name)) as Parser // Its exact version is locked.
  } catch {
    return undefined
  }
}

async function parseOne(parser: Parser, root: string, path: string): Promise<string | undefined> {
  const text = readFileSync(join(root, path), 'utf8')
  const { LangBash, LangPOSIX } = parser.LangVariant
  try {
    await parser.parse(text, { filepath: path, variant: isBash(text) ? LangBash : LangPOSIX })
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return `${placeOf(path, error)}  ${error.message.replace(/^\S+:\d+:\d+: /, '')}`
  }
}

const isBash = (text: string): boolean => /^#!.*\bbash\b/.test(text)

/** The parser gives the place of a syntax error apart, and that of a feature of another shell in its message. */
function placeOf(path: string, error: Error & { readonly Pos?: { readonly Line: number } }): string {
  const line = error.Pos?.Line ?? /^\S+:(\d+):\d+: /.exec(error.message)?.[1]
  return line === undefined ? path : `${path}:${line}`
}

interface Finding {
  readonly file: string
  readonly line: number
  readonly code: number
  readonly message: string
}

async function shellcheck(root: string, paths: readonly string[], path: string): Promise<Reading> {
  const shells = Map.groupBy(paths, (file) =>
    readFileSync(join(root, file), 'utf8').startsWith('#!') ? 'own' : 'sh',
  )
  const readings = await Promise.all(
    [...shells].map(([shell, files]) =>
      shellcheckAs(root, shell === 'sh' ? ['--shell=sh'] : [], files, path),
    ),
  )
  const missing = readings.find((reading) => 'missing' in reading)
  return (
    missing ?? { problems: readings.flatMap((reading) => ('missing' in reading ? [] : reading.problems)) }
  )
}

function shellcheckAs(
  root: string,
  options: readonly string[],
  files: readonly string[],
  path: string,
): Promise<Reading> {
  const child = spawn('shellcheck', ['--format=json1', ...options, ...files], {
    cwd: root,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT'
        ? resolve({ missing: 'shellcheck is not installed: apt-get install shellcheck' })
        : reject(error),
    )
    child.once('close', (status) => resolve({ problems: readFindings(parts.join(''), status ?? 1) }))
  })
}

/** Status 1 means findings; with any other than 0 shellcheck itself has failed. */
export function readFindings(output: string, status: number): readonly string[] {
  if (status !== 0 && status !== 1) return [`shellcheck ended with status ${status}`]
  const { comments } = JSON.parse(output) as { readonly comments: readonly Finding[] } // The format that was asked for.
  return comments.map(({ file, line, code, message }) => `${file}:${line}  SC${code}  ${message}`)
}
