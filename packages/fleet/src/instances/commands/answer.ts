import type { CommandResult } from '@fleet/ssh'

/** What a script answered: its word and the bytes after the first line. */
export interface Answer<W extends string> {
  readonly word: W
  readonly rest: Buffer
}

/** Reads a script's answer; undefined when the script broke or said something it cannot say. */
export function readAnswer<W extends string>(
  result: CommandResult,
  words: readonly W[],
): Answer<W> | undefined {
  if (result.exitCode !== 0) return undefined
  const end = result.stdout.indexOf('\n')
  const first = result.stdout.subarray(0, end).toString('latin1')
  const word = words.find((known) => known === first)
  return end >= 0 && word !== undefined ? { word, rest: result.stdout.subarray(end + 1) } : undefined
}

/** The lines after the first one, each without its end. */
export const linesOf = (answer: Answer<string>): readonly string[] =>
  answer.rest.toString('utf8').replace(/\n$/, '').split('\n')
