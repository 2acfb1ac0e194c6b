import { type Command, script, textFile } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'

export const installRefusals = ['locked', 'unavailable', 'disk_full', 'failed'] as const
export type InstallRefusal = (typeof installRefusals)[number]

/** Installs without a question; prints `installed` or a word of `installRefusals` and ends with 0. */
export const installPackages = (names: readonly string[]): Command => script(SOURCE, ...names)

/** Undefined when the packages are installed. */
export function readInstalled({ exitCode, stdout }: CommandResult): InstallRefusal | undefined {
  const word = stdout.toString('utf8').trim()
  if (exitCode === 0 && word === 'installed') return undefined
  return installRefusals.find((known) => known === word) ?? 'failed'
}

const SOURCE = textFile('install-packages.sh', import.meta.url)
