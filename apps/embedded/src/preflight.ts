import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { StartRefused } from './refusal.ts'

/** Throws StartRefused when Git, or the part of it that serves repositories, is missing on this machine. */
export function requireGit(programs: Readonly<Record<string, string>>): void {
  const { status, stdout } = spawnSync('git', ['--exec-path'], { env: programs, encoding: 'utf8' })
  if (status !== 0)
    throw new StartRefused(
      'The fleet uses Git to check out projects, and there is no `git` in the PATH. Install it:\n' +
        '  Debian, Ubuntu   sudo apt-get install git\n' +
        '  Fedora           sudo dnf install git\n' +
        '  Alpine           apk add git git-daemon\n' +
        '  macOS            xcode-select --install',
    )
  if (!existsSync(join(stdout.trim(), 'git-http-backend')))
    throw new StartRefused(
      'This Git has no `git http-backend`, which serves the sample repository. Install it:\n' +
        '  Alpine           apk add git-daemon\n' +
        '  Fedora           sudo dnf install git',
    )
}

/** Throws StartRefused with the commands to type when the system does not answer on these loopback addresses. */
export async function requireAddresses(addresses: readonly string[]): Promise<void> {
  const answers = await Promise.all(addresses.map(isLocal))
  const missing = addresses.filter((_, index) => !answers[index])
  if (missing.length === 0) return
  throw new StartRefused(
    'Every embedded Node needs its own loopback address, and this system does not have all of them yet.\n' +
      'Run this once after each boot of the machine, then start the fleet again:\n' +
      missing.map((address) => `  sudo ifconfig lo0 alias ${address}`).join('\n'),
  )
}

async function isLocal(address: string): Promise<boolean> {
  const server = createServer().listen(0, address)
  try {
    await once(server, 'listening')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') return false
    throw error
  } finally {
    server.close()
  }
}
