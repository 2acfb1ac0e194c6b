import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host } from '../../lab/index.ts'
import { program } from '../../lab/program.ts'
import { FLAGS } from '../pusher/browser/chromium.ts'

/** The root of the fleet in the store of a Node. */
export const FLEET_ROOT = '/usr/local/share/ca-certificates/fleet-gateway.crt'

/**
 * What Chromium shows of a page to somebody at the host: over its network, by its resolvers, trusting an authority of its store
 * besides those that the browser knows, where one is named.
 */
export async function shownBy(host: Host, url: string, authority?: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-browser-'))
  try {
    const [store, file] = [join(home, '.pki', 'nssdb'), join(home, 'authority.crt')]
    mkdirSync(store, { recursive: true })
    await program(['certutil', '-d', `sql:${store}`, '-N', '--empty-password'])
    if (authority !== undefined) {
      writeFileSync(file, await host.run(['cat', authority]))
      await program(['certutil', '-d', `sql:${store}`, '-A', '-t', 'C,,', '-n', 'authority', '-i', file])
    }
    const words = [...FLAGS, `--user-data-dir=${join(home, 'profile')}`, '--dump-dom', url]
    const env = { PATH: process.env['PATH'], HOME: home }
    return (await host.attemptBeside(['chromium', ...words], { env })).stdout
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}
