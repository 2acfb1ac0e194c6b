import { type Command, programOf, ROOT_FILES, script, textFile } from '@fleet/shell'

/** The source, for the test that every POSIX shell can read it. */
export const PREPARE = programOf(textFile('prepare.sh', import.meta.url), ROOT_FILES)

/** Everything that Fleet and its roles expect of a managed Debian machine (NODE-051). */
export const BASE_PACKAGES = [
  'acl',
  'ca-certificates',
  'git',
  'nftables',
  'procps',
  'rsync',
  'sqlite3',
  'sudo',
  'systemd-resolved',
  'ufw',
  'wireguard-go',
  'wireguard-tools',
] as const

export const prepareAnswers = [
  'prepared',
  'unchanged',
  'unsupported-system',
  'packages-locked',
  'packages-failed',
  'user-failed',
  'key-failed',
  'sudo-failed',
] as const
export type PrepareAnswer = (typeof prepareAnswers)[number]

export interface Preparation {
  readonly user: string
  /** Line of `authorized_keys` that lets the gateway in. */
  readonly publicKey: string
  /** How long another package operation is waited for. */
  readonly lockSeconds: number
}

/**
 * As root, one round trip: base packages where missing, the managed user with the gateway's key, and its right to become
 * root, tried by `visudo` before it counts. Prints one word of `prepareAnswers`. Safe to repeat: what is there stays.
 */
export const prepare = ({ user, publicKey, lockSeconds }: Preparation): Command =>
  script(PREPARE, user, publicKey.trim(), lockSeconds, ...BASE_PACKAGES)

/** Undefined when the script did not run to its end. */
export function readPrepareAnswer(stdout: Buffer): PrepareAnswer | undefined {
  const word = stdout.toString('utf8').trim()
  return prepareAnswers.find((answer) => answer === word)
}
