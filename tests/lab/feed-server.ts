import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  makeCertificates,
  makeRealtime,
  makeWebsocketService,
  type Network,
  type NodesDomain,
  type ServerProbe,
  type WebsocketService,
  WEBSOCKET_PORT,
} from '@fleet/fleet'
import { type Clock, systemClock } from '@fleet/kernel'
import { ensureRoot } from '@fleet/pki'
import type { Store } from '@fleet/store'
import { readManifest } from '../../apps/gateway/src/release/manifest.ts'
import { releaseExecutables } from '../../apps/gateway/src/release/executables.ts'
import type { Host } from '../../lab/index.ts'
import { builtRelease } from './install.ts'

/** Milliseconds. That a server goes on until resolvers have forgotten its name is tried in websocket.test.ts. */
const MOST_SLEEP = 1000

export interface FeedServer extends AsyncDisposable {
  readonly service: WebsocketService
}

/** The server of the feed from a release of this checkout, with an authority of its own; asked from the hub, which is in the tunnel. */
export async function makeFeedServer(parts: {
  readonly store: Store
  readonly network: Pick<Network, 'settings'>
  readonly holders: NodesDomain['holders']
  readonly nodes: NodesDomain['nodes']
  readonly hub: Host
}): Promise<FeedServer> {
  const folder = await builtRelease()
  const executables = releaseExecutables({ folder, manifest: readManifest(folder) })
  const caDirectory = mkdtempSync(join(tmpdir(), 'fleet-feed-'))
  const clock: Clock = {
    ...systemClock,
    sleep: (asked, signal) => systemClock.sleep(Math.min(asked, MOST_SLEEP), signal),
  }
  const { certificate } = await ensureRoot({ directory: caDirectory, clock, name: 'Fleet root' })
  const certificates = makeCertificates({
    clock,
    caDirectory,
    served: { certificateAt: () => Promise.resolve(undefined) },
    store: parts.store,
    suffix: async () => (await parts.network.settings())?.suffix,
  })
  const service = makeWebsocketService({
    ...parts,
    clock,
    realtime: makeRealtime(parts),
    certificates,
    executables,
    probe: probeFrom(parts.hub, certificate),
    websocketPort: WEBSOCKET_PORT,
    websocketOrigins: [],
  })
  return {
    service,
    [Symbol.asyncDispose]: async () => rmSync(caDirectory, { recursive: true, force: true }),
  }
}

/** Whether it answers HTTP over TLS by the name of its certificate. */
const probeFrom = (hub: Host, root: string): ServerProbe => ({
  answers: async ({ address, port, host }) => {
    const authority = 'root/feed-root.pem'
    writeFileSync(join(hub.root, authority), root)
    const words = ['openssl', 's_client', '-quiet', '-connect', `${address}:${port}`, '-servername', host]
    const trust = ['-CAfile', `/${authority}`, '-verify_return_error', '-verify_hostname', host]
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const { stdout } = await hub.attempt(['timeout', '3', ...words, ...trust], { input: request })
    return stdout.startsWith('HTTP/1.1 ')
  },
})
