import { type Command, script, textFile } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'

/** Prints the package of every wanted entry of which none is installed, one a line, and `end`; one `dpkg-query`. */
export const missingPackages = (wanted: readonly Wanted[]): Command =>
  script(MISSING_SOURCE, ...wordsOf(wanted))

/** The entries as arguments of the script. */
export const wordsOf = (wanted: readonly Wanted[]): readonly string[] =>
  wanted.map((one) => choicesOf(one).join('|'))

export const MISSING_SOURCE = textFile('missing-packages.sh', import.meta.url)

/** Undefined when the script broke. */
export function readMissing(
  { exitCode, stdout }: Pick<CommandResult, 'exitCode' | 'stdout'>,
  wanted: readonly Wanted[],
): readonly string[] | undefined {
  const lines = stdout.toString('utf8').split('\n')
  if (exitCode !== 0 || lines.at(-1) !== '' || lines.at(-2) !== 'end') return undefined
  const missing = lines.slice(0, -2)
  const known = new Set(wanted.map((one) => choicesOf(one)[0]))
  return missing.every((name) => known.has(name)) ? missing : undefined
}

const choicesOf = (wanted: Wanted): readonly string[] => (typeof wanted === 'string' ? [wanted] : wanted)

/** A package, or several of which one is enough; the first is installed when none is there. */
export type Wanted = string | readonly [string, ...string[]]
