import { CodedError } from '@fleet/kernel'
import { backup } from '#/backup/backup.ts'
import { refusalOf } from '#/install/first-node.ts'
import { install } from '#/install/install.ts'
import { upgrade, upgradeRun } from '#/upgrade/upgrade.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { ReleaseInvalid } from '#/release/manifest.ts'
import { fullDisk } from './full-disk.ts'
import { repairDns, retryWork, sshKey } from './maintenance.ts'
import { PLACES } from './places.ts'
import { Refusal } from './refusal.ts'
import { status } from './status.ts'
import { retarget } from './retarget.ts'

/** One command of `fleet-gateway`; answers the exit status. */
type ConsoleCommand = (words: readonly string[], release: InstalledRelease) => Promise<number>

const COMMANDS: Readonly<Record<string, ConsoleCommand>> = {
  install,
  backup,
  upgrade,
  status,
  'ssh-key': sshKey,
  retarget,
  'repair-dns': repairDns,
  'retry-work': retryWork,
  'upgrade-run': upgradeRun,
}

const USAGE = `usage: fleet-gateway COMMAND

  status                       shows the state of this installation
  ssh-key                      prints the public key to authorize for root on a machine before it is enrolled
  retarget NODE HOST           sets the new public SSH address of a Node
  repair-dns NODE              repairs the DNS resolver of a Node
  retry-work                   repeats the background work that failed
  backup FILE                  saves everything that cannot be recreated in one file
  upgrade FOLDER-OR-ARCHIVE    installs another release, and rolls back if it fails
  install                      completes this installation; run from a release, installs a new gateway
`

/** Runs a console command of the gateway on its own machine. */
export async function runConsole(words: readonly string[], release: InstalledRelease): Promise<number> {
  const [name = 'help', ...rest] = words
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) {
    process.stderr.write(USAGE)
    return name === 'help' || name === '--help' ? 0 : 2
  }
  try {
    return await command(rest, release)
  } catch (error) {
    // A command that says itself what is left of its work knows better.
    const full =
      error instanceof Refusal
        ? undefined
        : fullDisk(error, [PLACES.home, PLACES.base, '/tmp'], `${name} ended in the middle`)
    process.stderr.write(`${failure(full ?? error)}\n`)
    return 1
  }
}

function failure(error: unknown): string {
  if (error instanceof Refusal)
    return [`fleet-gateway: ${error.message}`, ...(error.next ? [`  next  ${error.next}`] : [])].join('\n')
  if (error instanceof CodedError) return failure(refusalOf(error))
  if (error instanceof ReleaseInvalid) return `fleet-gateway: ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
