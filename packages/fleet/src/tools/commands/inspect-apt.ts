import { type Command, script, textFile } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'

/** Prints the installed version of apt where both it and the package database can be used; one round trip. */
export const inspectApt: Command = script(textFile('inspect-apt.sh', import.meta.url))

const VERSION = /^[0-9][A-Za-z0-9.+:~-]{0,63}$/

/** Undefined where there is none. */
export function readAptVersion({ exitCode, stdout }: CommandResult): string | undefined {
  const version = stdout.toString('utf8').trim()
  return exitCode === 0 && VERSION.test(version) ? version : undefined
}
