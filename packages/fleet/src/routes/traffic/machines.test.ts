import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@fleet/testing/free-port'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf, type Root } from '@fleet/pki'
import { fakeCall, fakeExecutables, localSession, serviceHost, type ServiceHost } from '@fleet/testing'
import { CADDY, controlOf, startRealCaddy } from '@fleet/testing/real-caddy'
import { leafFile } from '#/certificates/api.ts'
import type { ClusterRecord } from '#/clusters/api.ts'
import { type RouteName, withCluster } from '#/dns/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { makeSiteSource } from '#/routes/sites.ts'
import type { World } from '#/routes/world.test.ts'
import { CADDY_UNIT, makeWebServer, ROOT_FILE, type WebServer } from '#/web-server/api.ts'

/** For the options of a test that needs the real Caddy. */
export const NO_CADDY = (CADDY === undefined || process.platform !== 'linux') && 'caddy is not installed'

/**
 * Nodes are set so that a connection which waits to be accepted while Caddy loads a file moves to its next listener (RTX-081). So is
 * this machine, until its next boot, where its user may do that. Elsewhere such a connection is lost now and then, also between a
 * Router and what is behind it, which then leaves that out for ten seconds.
 */
const MOVES_WAITING = ((): boolean => {
  const setting = '/proc/sys/net/ipv4/tcp_migrate_req'
  try {
    if (readFileSync(setting, 'utf8').trim() !== '1') writeFileSync(setting, '1')
    return true
  } catch {
    return false
  }
})()

/** For the options of a test that loses no request. */
export const NO_TRAFFIC =
  NO_CADDY || (!MOVES_WAITING && 'connections do not move to the next listener: net.ipv4.tcp_migrate_req')

/** The Nodes of a world, each with a Caddy of its own, an address of its own and the files that a build writes. */
export interface Machines extends AsyncDisposable {
  /** Of every site. */
  readonly port: number
  /** The authority of the fleet. */
  readonly authority: string
  /** Where the private DNS leads whoever asks now. */
  addressOf(domain: string): string | undefined
  /** How often each Node has loaded a file, by its name. */
  reloads(): Readonly<Record<string, number>>
  host(node: Pick<NodeRecord, 'id'>): ServiceHost
  /** Publishes names with the Cluster as it is going to be. */
  publishAs(cluster: ClusterRecord): Promise<void>
}

interface Machine extends AsyncDisposable {
  readonly host: ServiceHost
  readonly name: string
  readonly webServer: WebServer
}

/** An address of the tunnel, and where it is on this machine: every address of 127.0.0.0/8 is its own. */
const loopback = (address: string): string => address.replace(/^10\.44\./, '127.44.')

/**
 * From here on the builds, leaves and names of the world are real: the web server of the product, whose reloads load the file that
 * it wrote. Only ports, addresses and folders of that file are those of this machine.
 */
export async function startMachines(world: World, nodes: readonly NodeRecord[]): Promise<Machines> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'fleet-traffic-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  )
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Fleet root' })
  const [port, plainPort] = [await freePort(), await freePort()]
  const machines = new Map<number, Machine>()
  for (const node of nodes)
    machines.set(node.id, stack.use(await startMachine(world, { node, folder, root, port, plainPort })))
  const machineOf = ({ id }: Pick<NodeRecord, 'id'>): Machine => machines.get(id) ?? assert.fail(`Node ${id}`)
  takeOver(world, { machineOf, root })
  const names = await followNames(world, nodes)
  const owned = stack.move()
  return {
    port,
    authority: root.certificate,
    addressOf: (domain) => names.answers.get(domain),
    publishAs: names.publishAs,
    reloads: () => Object.fromEntries([...machines.values()].map(({ name, host }) => [name, loadsOf(host)])),
    host: (node) => machineOf(node).host,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const loadsOf = (host: ServiceHost): number => host.read('loads')?.split('\n').filter(Boolean).length ?? 0

interface Given {
  readonly node: NodeRecord
  readonly folder: string
  readonly root: Root
  readonly port: number
  readonly plainPort: number
}

async function startMachine(world: World, { node, folder, root, port, plainPort }: Given): Promise<Machine> {
  await using stack = new AsyncDisposableStack()
  const host = stack.use(serviceHost())
  host.systemd.addForeign('caddy.service')
  // Its own path has a space, which no site of the product has.
  const place = join(folder, node.name)
  symlinkSync(host.root, place)
  for (const at of ['run/lock', 'run/fleet-sites']) mkdirSync(host.at(at), { recursive: true })
  host.write(ROOT_FILE.slice(1), root.certificate)
  installPrograms(host)
  stack.use(await startRealCaddy(host, { place, moved: movedTo(place, port, plainPort) }))
  const { store, certificates, network } = world.deps
  const webServer = makeWebServer({
    store,
    network,
    certificates: { confirmLoaded: async () => undefined, loadWaiting: async () => undefined },
    holders: { of: async () => [] },
    sources: [makeSiteSource({ store, certificates, network })],
    executables: fakeExecutables(),
    acmeDirectory: 'https://127.0.0.1:1/directory',
    root: host.root,
  })
  const owned = stack.move()
  return { host, name: node.name, webServer, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Prints a file of the product as this machine serves it. */
const movedTo = (place: string, port: number, plainPort: number): string =>
  `sed -e 's#10\\.44\\.#127.44.#g' -e 's#bind 0\\.0\\.0\\.0#bind 127.44.200.1#' -e 's#:443#:${port}#g' \
-e 's#/etc/fleet/#${place}/etc/fleet/#g' -e 's#/home/#${place}/home/#g' -e 's#/run/php/#${place}/run/php/#g' -e 's#/run/fleet-sites#${place}/run/fleet-sites#g' \
-e 's#${ROOT_FILE}#${place}${ROOT_FILE}#g' \
-e 's#^\\tauto_https#\\tadmin ${controlOf(place)}\\n\\thttps_port ${port}\\n\\thttp_port ${plainPort}\\n&#' \
-e 's#^\\tacme_ca#\\tadmin ${controlOf(place)}\\n\\thttps_port ${port}\\n\\thttp_port ${plainPort}\\n&#'`

/** What else a build asks its Node for. */
function installPrograms(host: ServiceHost): void {
  host.install('ip', 'for last in $(seq 0 30); do echo "1: lo inet 10.44.0.$last/16"; done')
  host.install('sysctl', 'exit 0')
  host.install('runuser', 'shift 3\nexec "$@"')
}

/** The ports of the Routes that a machine fills. */
function takeOver(
  world: World,
  { machineOf, root }: { machineOf(node: Pick<NodeRecord, 'id'>): Machine; readonly root: Root },
): void {
  const { certificates, webServer } = world.deps
  const { publishLeaf, withdrawLeaf } = certificates
  Object.assign(certificates, {
    publishLeaf: async (...[session, leaf]: Parameters<typeof publishLeaf>) => {
      const { key, certificate } = await issueLeaf(root, { ...leaf, clock: systemClock })
      machineOf(session.node).host.write(leafFile(leaf.scope).slice(1), key.reveal() + certificate, 0o600)
      return publishLeaf(session, leaf)
    },
    withdrawLeaf: async (...[session, leaf]: Parameters<typeof withdrawLeaf>) => {
      rmSync(machineOf(session.node).host.at(leafFile(leaf.scope)), { force: true })
      return withdrawLeaf(session, leaf)
    },
  } satisfies Partial<typeof certificates>)
  Object.assign(webServer, {
    build: async (session, publisher) => {
      const { host, webServer: real } = machineOf(session.node)
      return real.build(localSession(host.pool, { node: session.node, call: session.call }), publisher)
    },
  } satisfies Partial<typeof webServer>)
}

interface Names {
  /** What the private DNS answers, as it was last published: a name of a Cluster leads to its Router. */
  readonly answers: ReadonlyMap<string, string>
  publishAs(cluster: ClusterRecord): Promise<void>
}

async function followNames(world: World, nodes: readonly NodeRecord[]): Promise<Names> {
  const answers = new Map<string, string>()
  const { names, clusters } = world.deps
  const { publish } = names
  const answer = async (routes: readonly RouteName[]): Promise<void> => {
    const next = new Map<string, string>()
    for (const { domain, ...to } of routes) {
      const id = 'nodeId' in to ? to.nodeId : (await clusters.routerOf(to.clusterId))?.id
      const address = nodes.find((node) => node.id === id)?.wireguard_ip
      if (address) next.set(domain, loopback(address))
    }
    answers.clear()
    for (const [domain, address] of next) answers.set(domain, address)
  }
  Object.assign(names, {
    publish: async (call) => {
      await publish(call)
      await answer(await world.routes.names.list())
    },
  } satisfies Partial<typeof names>)
  return {
    answers,
    publishAs: async (cluster) => {
      const sources = { suffix: '', nodes: [], clusters: [], routes: await world.routes.names.list() }
      await answer(withCluster(sources, cluster).routes)
    },
  }
}

/** Certificates that the next build loads. */
export const BY_BUILD = { reload: CADDY_UNIT, isLoadedLater: true } as const

/** Puts what the records of a shop had on machines that were none on the real ones. */
export async function serveAgain(world: World, nodes: readonly NodeRecord[]): Promise<void> {
  const call = fakeCall()
  for (const node of nodes) {
    const session = world.deps.nodes.sessions.overTunnel(call, node)
    for (const [scope, names] of world.machines.get(node.id)?.leaves ?? [])
      await world.deps.certificates.publishLeaf(session, {
        scope,
        names: names.split(' '),
        addresses: [],
        ...BY_BUILD,
      })
    await world.deps.webServer.build(session, 'app-dev')
  }
  await world.deps.names.publish(call)
}

/** The file that a Node serves. */
export const servedFile = (host: ServiceHost): string => readFileSync(host.at('served'), 'utf8')
