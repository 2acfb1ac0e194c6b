import { once } from 'node:events'
import { createServer } from 'node:net'
import type { GatewayOptions } from '@fleet/gateway'
import { systemClock } from '@fleet/kernel'
import type { Home } from '#/home.ts'
import { KeptPortTaken, openKept } from '#/kept-ports.ts'
import type { EmbeddedNode } from '#/node-names.ts'
import { caddyVersion } from './program.ts'
import { type HeldPort, type NodeWebServer, startNodeWebServer } from './server.ts'

/** From the gateway's 8443 to 8540: fleets on distant ports never meet. */
const PORTS_ABOVE_GATEWAY = 97
const LOOPBACK = '127.0.0.1'

type LocalWebServers = NonNullable<GatewayOptions['local']>

export interface WebOptions {
  readonly home: Home
  readonly nodes: readonly EmbeddedNode[]
  readonly gatewayPort: number
  readonly caFile: string
  readonly programs: Readonly<Record<string, string>>
}

/** What serves the sites of the Nodes, or why nothing does. */
export type Web = ({ readonly local: LocalWebServers } | { readonly problem: string }) & AsyncDisposable

/**
 * A Caddy for each Node, on a port of its own: sites are reached on 127.0.0.1, where browsers look for every name below
 * `localhost`. Stored addresses name the ports, so the servers cannot move.
 */
export async function startWeb(options: WebOptions): Promise<Web> {
  const { home, nodes, gatewayPort, caFile, programs } = options
  const version = caddyVersion(programs)
  if (version === undefined)
    return { problem: 'Caddy is not installed', [Symbol.asyncDispose]: async () => undefined }
  const first = gatewayPort + PORTS_ABOVE_GATEWAY
  const kept = { file: home.in('ports.json'), service: 'web', first, mayMove: false } as const
  await using stack = new AsyncDisposableStack()
  try {
    const { port, opened } = await patiently(() => openKept(kept, (at) => holdAll(at, nodes.length)))
    const servers = new Map<string, NodeWebServer>()
    for (const [index, node] of nodes.entries()) {
      const given = { folder: home.in('web', node.name), programs, held: opened[index] }
      servers.set(node.address, stack.use(await startNodeWebServer(given)))
    }
    const at = (address: string): number => nodes.findIndex((node) => node.address === address)
    const serverOf = (address: string): NodeWebServer => {
      const server = servers.get(address)
      if (!server) throw new Error(`no Node is at ${address}`)
      return server
    }
    const local: LocalWebServers = {
      version,
      suffix: 'fleet',
      root: caFile,
      certificatesOf: (address) => {
        const node = nodes[at(address)]
        return node && home.in('web', node.name, 'certificates')
      },
      portOf: (address) => (servers.has(address) ? port + at(address) : undefined),
      load: (address, text) => serverOf(address).load(text),
      reload: (address) => serverOf(address).reload(),
    }
    const owned = stack.move()
    return { local, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  } catch (error) {
    if (error instanceof KeptPortTaken)
      return { problem: error.message, [Symbol.asyncDispose]: async () => undefined }
    throw error
  }
}

/** A web server of a run that was killed may still be letting go of its port. */
async function patiently<T>(open: () => Promise<T>): Promise<T> {
  for (let tries = TRIES; ; tries -= 1)
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof KeptPortTaken) || tries === 0) throw error
      await systemClock.sleep(TRY_MILLISECONDS)
    }
}
const TRIES = 10
const TRY_MILLISECONDS = 200

/** All of them or none: nobody else gets the port of a Node that serves nothing yet. Rejects with EADDRINUSE. */
async function holdAll(first: number, count: number): Promise<readonly HeldPort[]> {
  const held: HeldPort[] = []
  try {
    for (let port = first; port < first + count; port += 1) held.push(await hold(port))
    return held
  } catch (error) {
    for (const one of held) await one.letGo()
    throw error
  }
}

async function hold(port: number): Promise<HeldPort> {
  const server = createServer((socket) => socket.destroy()).listen(port, LOOPBACK)
  await once(server, 'listening')
  return {
    letGo: async () => {
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
