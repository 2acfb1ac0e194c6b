import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProbe } from '@fleet/fleet'
import { systemClock } from '@fleet/kernel'
import { ensureRoot } from '@fleet/pki'
import { testFacts } from '@fleet/testing'
import { readManifest } from '../../apps/gateway/src/release/manifest.ts'
import { releaseExecutables } from '../../apps/gateway/src/release/executables.ts'
import type { Host } from '../../lab/index.ts'
import { builtRelease } from './install.ts'

/** Milliseconds. That a server continues until resolvers have forgotten its name is tried in websocket.test.ts. */
const MOST_SLEEP = 1000

/**
 * What domains need for the real server of the feed: a release of this checkout, an authority of its own, and a probe from the
 * hub, which is in the tunnel.
 */
export async function feedDeps(hub: Host, folders: DisposableStack) {
  const folder = await builtRelease()
  const caDirectory = mkdtempSync(join(tmpdir(), 'fleet-feed-'))
  folders.defer(() => rmSync(caDirectory, { recursive: true, force: true }))
  const { certificate } = await ensureRoot({ directory: caDirectory, clock: systemClock, name: 'Fleet root' })
  return {
    clock: {
      ...systemClock,
      sleep: (asked: number, signal?: AbortSignal) => systemClock.sleep(Math.min(asked, MOST_SLEEP), signal),
    },
    executables: releaseExecutables({ folder, manifest: readManifest(folder) }),
    facts: { ...testFacts, caDirectory },
    serverProbe: probeFrom(hub, certificate),
  }
}

/** Whether it answers HTTP over TLS by the name of its certificate. */
const probeFrom = (hub: Host, root: string): ServerProbe => ({
  ask: async ({ address, port, host }) => {
    const authority = 'root/feed-root.pem'
    writeFileSync(join(hub.root, authority), root)
    const words = ['openssl', 's_client', '-quiet', '-connect', `${address}:${port}`, '-servername', host]
    const trust = ['-CAfile', `/${authority}`, '-verify_return_error', '-verify_hostname', host]
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const { stdout } = await hub.attempt(['timeout', '3', ...words, ...trust], { input: request })
    return { isTaken: stdout.startsWith('HTTP/1.1 ') }
  },
})
