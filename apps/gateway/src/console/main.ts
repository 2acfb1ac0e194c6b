import { CodedError } from '@fleet/kernel'
import { install } from '#/install/install.ts'
import { upgrade, upgradeRun } from '#/upgrade/upgrade.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { ReleaseInvalid } from '#/release/manifest.ts'
import { Refusal } from './refusal.ts'
import { retarget } from './retarget.ts'

/** One command of `fleet-gateway`; answers the exit status. */
type ConsoleCommand = (words: readonly string[], release: InstalledRelease) => Promise<number>

const COMMANDS: Readonly<Record<string, ConsoleCommand>> = {
  install,
  upgrade,
  retarget,
  'upgrade-run': upgradeRun,
}

const USAGE = `usage: fleet-gateway COMMAND

  install            makes this machine the gateway of a fleet, or completes that
  upgrade PATH       moves to the release in a folder or archive, and back when it fails
  retarget NAME HOST reaches a Node under another public SSH address
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
    process.stderr.write(`${failure(error)}\n`)
    return 1
  }
}

function failure(error: unknown): string {
  if (error instanceof Refusal)
    return [`fleet-gateway: ${error.message}`, ...(error.next ? [`  next  ${error.next}`] : [])].join('\n')
  if (error instanceof CodedError) return `fleet-gateway: ${error.code}  ${error.message}`
  if (error instanceof ReleaseInvalid) return `fleet-gateway: ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
