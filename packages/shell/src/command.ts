import { Secret } from '@fleet/kernel'

export type Word = string | number | Secret

export interface Command {
  /** What the node runs. May hold secrets: never log it. */
  readonly line: string
  /** The same line, safe for logs, errors and Activity rows. */
  readonly shown: string
  /** Sent on standard input, so it never appears in the node's process list. */
  readonly stdin?: Secret
}

const quote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

const render = (word: Word, show: boolean): string => {
  if (word instanceof Secret) return show ? '[REDACTED]' : quote(word.reveal())
  return quote(String(word))
}

/** Words become one command; undefined and false words drop out, so flags can be written inline. */
export function run(...words: ReadonlyArray<Word | undefined | false>): Command {
  const kept = words.filter((w): w is Word => w !== undefined && w !== false)
  return { line: kept.map((w) => render(w, false)).join(' '), shown: kept.map((w) => render(w, true)).join(' ') }
}

const join = (by: string) => (...commands: readonly Command[]): Command => {
  const [stdin, second] = commands.flatMap((c) => c.stdin ?? [])
  // One channel has one standard input; two senders would feed whichever command reads first.
  if (second) throw new Error('only one joined command may take standard input')
  const joined = { line: commands.map((c) => c.line).join(` ${by} `), shown: commands.map((c) => c.shown).join(` ${by} `) }
  return stdin ? { ...joined, stdin } : joined
}
export const and = join('&&')
export const or = join('||')
export const pipe = join('|')

export const withStdin = (command: Command, stdin: Secret): Command => ({ ...command, stdin })
