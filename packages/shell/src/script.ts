import { type Command, run, shownAs, type Word } from './command.ts'

/**
 * A whole POSIX `sh` script as one command, so that several things cost one round trip.
 * The source is a constant: what varies comes as positional arguments (`$1`, …) or on standard input.
 * Logs show the text of the script's first comment line and the arguments instead of the source.
 */
export function script(source: string, ...args: readonly Word[]): Command {
  // Linux refuses a single argument of 128 KiB; the Node's shell holds the whole line as one.
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) throw new Error('a script may have at most 96 KiB')
  const shown = run('script', title(source), ...args).line
  return shownAs(run('sh', '-c', source, 'fleet', ...args), shown)
}

const MAX_SOURCE_BYTES = 96 * 1024

const title = (source: string): string => /^\s*#\s*(\S[^\n]*)/.exec(source)?.[1]?.trimEnd() ?? 'sh'
