import { CodedError } from '@fleet/kernel'
import { RootUnavailable } from '@fleet/pki'
import { AppKeyFileRefused, AppKeyInvalid, MigrationFailed, WrongKey } from '@fleet/store'
import { backup } from '#/backup/backup.ts'
import { SshKeyUnavailable } from '#/identity-files.ts'
import { shownError } from '#/install/first-node.ts'
import { install } from '#/install/install.ts'
import { HomeInUse, RecordsLeftBehind } from '#/open-home-store.ts'
import { Unavailable } from '#/reason.ts'
import { upgrade, upgradeRun } from '#/upgrade/upgrade.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { ReleaseInvalid } from '#/release/manifest.ts'
import { fullDisk } from './full-disk.ts'
import { repairDns, retryWork, sshKey } from './maintenance.ts'
import { misuseOf } from './misuse.ts'
import { pinHostKey } from './pin-host-key.ts'
import { PLACES } from './places.ts'
import { Refusal } from './refusal.ts'
import { renewRoot } from './renew-root.ts'
import { status } from './status.ts'
import { retarget } from './retarget.ts'

interface ConsoleCommand {
  /** Its arguments, as the usage prints them. */
  readonly takes: string
  readonly summary: string
  /** Answers the exit status; throws Misuse when it cannot read its words. */
  readonly run: (words: readonly string[], release: InstalledRelease) => Promise<number>
}

/** In the order of the usage. */
const COMMANDS: Readonly<Record<string, ConsoleCommand>> = {
  status: { takes: '', summary: 'shows the state of this installation', run: status },
  'ssh-key': {
    takes: '',
    summary: 'prints the public key to authorize for root on a machine before it is enrolled',
    run: sshKey,
  },
  retarget: {
    takes: 'NODE HOST [--port PORT] [--fingerprint SHA256:…]',
    summary: 'sets the new public SSH address of a Node',
    run: retarget,
  },
  'pin-host-key': {
    takes: 'NODE SHA256:…',
    summary: 'records the new SSH host key of a Node, as it was read on the console of its machine',
    run: pinHostKey,
  },
  'repair-dns': { takes: 'NODE', summary: 'repairs the DNS resolver of a Node', run: repairDns },
  'retry-work': { takes: '', summary: 'repeats the background work that failed', run: retryWork },
  'renew-root': {
    takes: '[--force]',
    summary: 'renews the root certificate of the fleet in its last year, with the same key',
    run: renewRoot,
  },
  backup: {
    takes: 'FILE [--passphrase-file FILE]',
    summary: 'saves everything that cannot be recreated in one file',
    run: backup,
  },
  upgrade: {
    takes: 'FOLDER-OR-ARCHIVE',
    summary: 'installs another release, and rolls back if it fails',
    run: upgrade,
  },
  install: {
    takes: '[option…]',
    summary: 'completes this installation; run from a release, installs a new gateway',
    run: install,
  },
}

/** Where a command prints. */
type Output = Record<'stdout' | 'stderr', { write(text: string): unknown }>

/** Their messages name the cause and what helps. */
const IS_SAID = [
  ReleaseInvalid,
  RootUnavailable,
  SshKeyUnavailable,
  AppKeyFileRefused,
  AppKeyInvalid,
  WrongKey,
  MigrationFailed,
  HomeInUse,
  RecordsLeftBehind,
]

/** What the unit of an upgrade runs; nobody types it. */

const INTERNAL: Readonly<Record<string, ConsoleCommand['run']>> = { 'upgrade-run': upgradeRun }

const DATABASE_NEXT = `Check FLEET_DATABASE_URL in ${PLACES.settings} and its server, then run the same command again.`

const HELP_OPTIONS: readonly string[] = ['--help', '-h']

const USAGE = `usage: fleet-gateway COMMAND

${Object.entries(COMMANDS)
  .map(
    ([name, { takes, summary }]) => `  ${`${name} ${takes.replace(/ ?\[.*/, '')}`.padEnd(28)} ${summary}\n`,
  )
  .join('')}
fleet-gateway COMMAND --help shows the options of a command.
`

/** Runs a console command of the gateway on its own machine: 0 when it succeeded, 1 when not, 2 when it was misused. */
export async function runConsole(
  words: readonly string[],
  release: InstalledRelease,
  { stdout, stderr }: Output = process,
): Promise<number> {
  const [name = 'help', ...rest] = words
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const run = command?.run ?? (Object.hasOwn(INTERNAL, name) ? INTERNAL[name] : undefined)
  if (!run) {
    const isHelp = ['help', ...HELP_OPTIONS].includes(name)
    if (isHelp) stdout.write(USAGE)
    else stderr.write(`fleet-gateway: ${name} is not a command.\n${USAGE}`)
    return isHelp ? 0 : 2
  }
  // `install` prints a page of its own.
  if (command && command.run !== install && rest.some((word) => HELP_OPTIONS.includes(word))) {
    stdout.write(`${usageOf(name, command)}\n\nIt ${command.summary}.\n`)
    return 0
  }
  try {
    return await run(rest, release)
  } catch (error) {
    const misuse = misuseOf(error)
    if (misuse && command) {
      const why = misuse.message === '' ? '' : `fleet-gateway: ${misuse.message}\n`
      stderr.write(`${why}${usageOf(name, command)}\n`)
      return 2
    }
    // A command that says itself what is left of its work knows better.
    const full =
      error instanceof Refusal
        ? undefined
        : fullDisk(error, [PLACES.home, PLACES.base, '/tmp'], `${name} ended in the middle`)
    stderr.write(`${failure(full ?? error)}\n`)
    return 1
  }
}

function usageOf(name: string, { takes }: ConsoleCommand): string {
  return `usage: fleet-gateway ${name} ${takes}`.trimEnd()
}

/** What a person reads of an error; only a defect shows its stack. */
export function failure(error: unknown): string {
  if (error instanceof Refusal)
    return [`fleet-gateway: ${error.message}`, ...(error.next ? [`  next  ${error.next}`] : [])].join('\n')
  if (error instanceof CodedError) return failure(shownError(error))
  if (error instanceof Unavailable) return failure(new Refusal(`${error.message}.`, DATABASE_NEXT, error))
  if (!(error instanceof Error)) return String(error)
  return IS_SAID.some((kind) => error instanceof kind)
    ? `fleet-gateway: ${error.message}`
    : (error.stack ?? error.message)
}
