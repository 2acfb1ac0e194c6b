import { Secret } from '@fleet/kernel'
import { quoteWord } from './quote.ts'

export type Word = string | number

export interface Command {
  /** What the Node runs. It never holds a secret: remote argument lists are readable by every user there. */
  readonly line: string
  /** The same in short, for logs, errors and Activity rows. */
  readonly shown: string
  /** Text of a script, sent first on standard input. No secret. */
  readonly program?: string
  /** Line and program of a script that has standard input of its own. */
  readonly fed?: Pick<Command, 'line' | 'program'>
  /** Sent on standard input, the only place for secrets, SQL and file contents. */
  readonly stdin?: Secret
  /** Bytes that follow it, such as a file; no secret. */
  readonly payload?: Uint8Array
}

/**
 * Words become one command; undefined and false words drop out, so flags can be written inline.
 * Throws when a word is a Secret or cannot be an argument.
 */
export function run(...words: ReadonlyArray<Word | undefined | false>): Command {
  const line = words
    .filter((word) => word !== undefined && word !== false)
    .map(render)
    .join(' ')
  if (line === '') throw new Error('a command needs at least one word')
  return { line, shown: line }
}

/** Gives a command its standard input. Throws when it already has one. */
export function withStdin(command: Command, stdin: Secret): Command {
  if (command.stdin) throw new Error('the command already takes standard input')
  return { ...command, ...command.fed, stdin }
}

/** Gives a command bytes on standard input, after its text if it has one. Throws when it already has some. */
export function withPayload(command: Command, payload: Uint8Array): Command {
  if (command.payload) throw new Error('the command already takes a payload')
  return { ...command, ...command.fed, payload }
}

/** All that is sent on standard input, in order. It holds what is secret. */
export const inputOf = ({ program, stdin, payload }: Command): ReadonlyArray<string | Uint8Array> =>
  [program, stdin?.reveal(), payload].filter((part) => part !== undefined)

/** The command as the last words of another one, which starts it and leaves standard input to it. */
export function startedBy(starter: readonly Word[], command: Command): Command {
  const { line } = run(...starter)
  return {
    ...command,
    line: `${line} ${command.line}`,
    shown: `${line} ${command.shown}`,
    ...(command.fed ? { fed: { ...command.fed, line: `${line} ${command.fed.line}` } } : {}),
  }
}

/** The same command under a shorter name in logs and errors. */
export const shownAs = (command: Command, shown: string): Command => ({ ...command, shown })

const render = (word: Word): string => {
  // The types forbid it already; a secret that slips through a cast must still not reach an argument list.
  if ((word as unknown) instanceof Secret) throw new Error('a secret may only stand on standard input')
  if (typeof word === 'number' && !Number.isFinite(word))
    throw new Error('a number in a command must be finite')
  return quoteWord(String(word))
}
