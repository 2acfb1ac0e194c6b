import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  makeWebServer,
  type NodeSession,
  type Php,
  type Pool,
  poolOf as phpPoolOf,
  type ServedCheckout,
  type Site,
  socketOf,
  type SourceAccess,
  type WebServer,
} from '@fleet/fleet'
import { ensureRoot } from '@fleet/pki'
import {
  addNode,
  askPath,
  fakeCall,
  fakeExecutables,
  fetchPath,
  type HostileSource,
  hostileSource,
  openTestStore,
  SERVED_TYPES,
  type ServedType,
  testDomains,
  testFacts,
} from '@fleet/testing'
import { systemClock } from '@fleet/kernel'
import type { Host } from '../../lab/index.ts'
import { letIn } from './role-host.ts'
import { poolOf, testLab } from './site.ts'

export const USER = 'fleet'
const APPS = `/home/${USER}/apps`
const NETWORK = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }

/** A Debian host with sources of every type, and the domains that serve them, from records that the test holds. */
export interface PhpHost extends AsyncDisposable {
  readonly host: Host
  readonly php: Php
  readonly access: SourceAccess
  readonly server: WebServer
  session(): Promise<NodeSession>
  /** What the records say. */
  records: {
    readonly pools: readonly Pool[]
    readonly sites: readonly Site[]
    readonly served: readonly ServedCheckout[]
  }
  /** What a visitor gets, as `paths.tsv` says it. */
  ask(type: ServedType, path: string): Promise<string>
  /** The body alone. */
  say(type: ServedType, path: string): Promise<string>
  /** Certificates, access, pools and sites as the records are. */
  publish(): Promise<void>
}

export const checkoutOf = (type: ServedType): string => `${APPS}/${type}/default`
export const domainOf = (type: ServedType): string => `${type}.test`

/** A file of the managed user. */
export function writeOn(host: Host, path: string, text: string): void {
  const place = join(host.root, path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, text)
}

function writeSource(host: Host, checkout: string, { files, links }: HostileSource): void {
  for (const [path, text] of Object.entries(files)) writeOn(host, join(checkout, path), text)
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(host.root, checkout, path))
}

export const own = (host: Host): Promise<string> =>
  host.run(['chown', '-R', `${USER}:${USER}`, `/home/${USER}`])

export const poolFor = (type: ServedType, id: number, version: string): Pool | undefined => {
  const { applicationDirectory: defaultDirectory } = hostileSource(type)
  if (defaultDirectory === undefined) return undefined
  return phpPoolOf({
    instance: { id, name: type },
    version,
    checkoutPath: checkoutOf(type),
    defaultDirectory,
  })
}

const scopeOf = (id: number): string => `app-instance-${id}`

export const siteFor = (host: Host, type: ServedType, id: number, pool: Pool | undefined): Site => ({
  source: 'app-dev',
  scope: scopeOf(id),
  domain: domainOf(type),
  listener: { kind: 'tcp', addresses: [host.address] },
  tls: { kind: 'leaf', file: `/etc/fleet/certificates/${scopeOf(id)}/leaf.pem` },
  handler: {
    kind: 'files',
    root: join(checkoutOf(type), hostileSource(type).webRoot),
    ...(pool ? { php: socketOf(pool) } : {}),
    cachesBuilds: false,
  },
})

export async function startPhpHost(name: string): Promise<PhpHost> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const host = stack.use(await lab.host({ name, roles: ['app-dev'] }))
  await letIn(host, (await host.run(['cat', '/root/.ssh/authorized_keys'])).trim())
  await host.run(['chmod', '700', `/home/${USER}`])
  for (const type of SERVED_TYPES) writeSource(host, checkoutOf(type), hostileSource(type))
  await own(host)

  const home = mkdtempSync(join(tmpdir(), 'fleet-php-'))
  stack.defer(() => rmSync(home, { recursive: true }))
  const caDirectory = join(home, 'ca')
  const root = await ensureRoot({ directory: caDirectory, clock: systemClock, name: 'Fleet root' })
  const store = stack.use(await openTestStore())
  const node = await addNode(store, {
    name,
    roles: ['app-dev'],
    user: USER,
    user_home: `/home/${USER}`,
    wireguard_ip: host.address,
    ssh_host_fingerprint: await host.fingerprint(),
  })
  const records: PhpHost['records'] = { pools: [], sites: [], served: [] }
  const deps = { store, ssh: stack.use(poolOf(lab)), facts: { ...testFacts, caDirectory } }
  const domains = testDomains(deps, {
    poolSource: { poolsOn: async () => world.records.pools },
    servedSource: { servedOn: async () => world.records.served },
  })
  await domains.network.configure(NETWORK)
  const session = async (): Promise<NodeSession> => {
    const record = await domains.nodes.nodes.find(node.id)
    if (!record) throw new Error(`${name} is not stored`)
    return domains.nodes.nodes.sessions.overTunnel(fakeCall(), record)
  }
  const server = makeWebServer({
    store,
    holders: domains.nodes.holders,
    network: { settings: async () => NETWORK },
    sources: [{ sitesOn: async () => world.records.sites, publishLeaves: async () => undefined }],
    certificates: domains.certificates,
    executables: fakeExecutables(),
  })
  const owned = stack.move()
  const world: PhpHost = {
    host,
    php: domains.php,
    access: domains.sourceAccess,
    server,
    session,
    records,
    ask: (type, path) =>
      askPath({
        address: host.address,
        port: 443,
        host: domainOf(type),
        path,
        certificate: root.certificate,
      }),
    say: async (type, path) =>
      (
        await fetchPath({
          address: host.address,
          port: 443,
          host: domainOf(type),
          path,
          certificate: root.certificate,
        })
      ).body,
    publish: async () => {
      const at = await session()
      for (const { checkoutPath } of world.records.served) await domains.sourceAccess.apply(at, checkoutPath)
      await domains.php.converge(at)
      for (const { scope, domain } of world.records.sites)
        await domains.certificates.publishLeaf(at, { scope, names: [domain], addresses: [], owner: 'caddy' })
      await server.build(at, 'app-dev')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return world
}
