import { Unrenderable } from '#/web-server/rules.ts'

/** A line of words, or a block: a line and what is within its braces. */
export type Entry = Line | Block
export type Line = ReadonlyArray<string | Raw>
export interface Block {
  readonly head: Line
  readonly entries: readonly Entry[]
}

/** A placeholder or an expression, which is written as it is. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const block = (head: Line, entries: readonly Entry[]): Block => ({ head, entries })

/** Entries as lines of a Caddyfile, indented by tabs. Throws UnsafeWord. */
export const renderEntries = (entries: readonly Entry[], depth = 0): string =>
  entries.map((entry) => renderEntry(entry, depth)).join('')

function renderEntry(entry: Entry, depth: number): string {
  const indent = '\t'.repeat(depth)
  if (!('head' in entry)) return `${indent}${lineText(entry)}\n`
  if (entry.entries.length === 0 && entry.head.length > 0) return renderEntry(entry.head, depth)
  const head = entry.head.length === 0 ? '' : `${lineText(entry.head)} `
  return `${indent}${head}{\n${renderEntries(entry.entries, depth + 1)}${indent}}\n`
}

const lineText = (words: Line): string =>
  words.map((word) => (word instanceof Raw ? word.text : wordText(word))).join(' ')

/** A word that would not arrive as it is: a quote, a brace of a placeholder, a control character. */
export class UnsafeWord extends Unrenderable {
  constructor(word: string) {
    super(`${JSON.stringify(word)} cannot be a word of a Caddyfile`)
  }
}

/** A word to which a placeholder is added: in quotes it would be none. Throws UnsafeWord. */
export function plainWord(word: string): string {
  if (wordText(word) !== word) throw new UnsafeWord(word)
  return word
}

function wordText(word: string): string {
  if (word === '' || /[\p{Cc}"`\\{}]/u.test(word)) throw new UnsafeWord(word)
  return /[\s#]/u.test(word) ? `"${word}"` : word
}
