import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One fenced block of a guide: a whole new file, an edit of a file, or shell commands. */
export interface Block {
  readonly language: string
  /** Empty for shell commands. */
  readonly path: string
  readonly text: string
}

/** The blocks that somebody who follows the page acts on, in order: those that name a file, and `sh`. */
export const blocksOf = (markdown: string): readonly Block[] =>
  [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)]
    .map(([, language = '', path = '', text = '']) => ({ language, path, text }))
    .filter(({ language, path }) => path !== '' || language === 'sh')

/**
 * Writes the file of a block, or makes its edits, which a line `@@` separates. Throws unless the lines around an edit are in
 * the file exactly once.
 */
export function apply(root: string, { language, path, text }: Block): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    language === 'diff'
      ? hunksOf(text).reduce((source, hunk) => edited(path, source, hunk), readFileSync(file, 'utf8'))
      : text,
    {
      flag: language === 'diff' ? 'w' : 'wx',
    },
  )
}

const hunksOf = (diff: string): readonly string[] => diff.split(/^@@\n/m)

/** Lines that the edits of a block add. */
export const addedLines = ({ text }: Block): number =>
  text.split('\n').filter((line) => line.startsWith('+')).length

function edited(path: string, source: string, diff: string): string {
  const lines = diff.split('\n').slice(0, -1)
  const side = (drop: string): string =>
    lines
      .filter((line) => !line.startsWith(drop))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const before = side('+')
  if (source.split(before).length !== 2)
    throw new Error(`${path} does not hold these lines exactly once:\n${before}`)
  return source.replace(before, () => side('-'))
}
