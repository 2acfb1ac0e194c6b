import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { isLeft, leadsTo, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { serveSocket, startRequests } from './requests.ts'
import { addShopOf, page } from './shop.ts'
import { onHosts } from './site.ts'
import { DOWNLOAD, type Kept, startStreams } from './streams.ts'

const started = shareFleet({
  name: 'str',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'edge', roles: ['app-prod'], words: ['--tld', 'edge.test'] },
    { name: 'other', roles: ['app-prod'], words: ['--tld', 'other.test'] },
    { name: 'guest', roles: ['app-prod'], words: ['--tld', 'guest.test'] },
  ],
})

const [CHOSEN, GENERATED, RENAMED] = ['page.example', 'shop.first', 'shop.second']

const SHOP = {
  artisan: '',
  'composer.json': '{"require":{"php":">=8.1","laravel/framework":"*"}}',
  '.env.example': 'APP_NAME=shop\nAPP_URL=http://localhost\n',
  'public/plain.txt': 'plain',
  'public/index.php': '<?php echo "page";',
  'public/events.php': `<?php header('Content-Type: text/event-stream');
while (!connection_aborted()) { echo 'data: ', time(), "\\n\\n"; @ob_flush(); flush(); usleep(300000); }`,
}

/** How often the web servers of these hosts have loaded a file. */
async function loadsOf(hosts: readonly Host[]): Promise<number> {
  const count = `journalctl --unit=caddy --output=cat | grep -c '^Reloaded caddy' || true`
  const counts = await Promise.all(hosts.map((host) => host.run(['sh', '-c', count])))
  return counts.reduce((sum, text) => sum + Number(text), 0)
}

interface Town {
  readonly fleet: InstalledFleet
  readonly web: Host
  readonly guest: Host
  readonly serving: readonly Host[]
}

/** An Instance with a chosen domain, and one with a generated one, on the Node of one of two Clusters. */
async function openTown(context: { after(close: () => unknown): void }): Promise<Town> {
  const fleet = started()
  const [web, edge, other, guest] = ['web', 'edge', 'other', 'guest'].map(fleet.node)
  assert.ok(web && edge && other && guest)
  await addShopOf(SHOP, fleet, context, web)
  for (const [cluster, tld, router] of [
    ['one', 'first', edge],
    ['two', 'elsewhere', other],
  ] as const) {
    await fleet.record('cluster:create', cluster, tld)
    await fleet.record('cluster:node:attach', cluster, router.name)
    await fleet.record('cluster:router:set', cluster, router.name)
    await fleet.record('cluster:update', cluster, '--state', 'active')
  }
  await fleet.record('cluster:node:attach', 'one', web.name)
  await fleet.record('instance:create', 'shop', web.name, 'default')
  const made = await fleet.record('instance:create', 'shop', web.name, 'chosen', '--domain', CHOSEN)
  const bytes = DOWNLOAD.pieces * DOWNLOAD.pieceBytes
  for (const name of ['default', 'chosen']) {
    const folder = String(made['checkout_path']).replace(/chosen$/, name)
    await web.run(['sh', '-c', `head -c ${bytes} /dev/urandom >${folder}/public/big.bin`])
  }
  return { fleet, web, guest, serving: [web, edge, other] }
}

/** Keeps streams open while the work runs. What of them is cut is no more than what the loads of web servers cut. */
async function kept(
  { guest, serving }: Town,
  domains: readonly string[],
  work: () => Promise<void>,
): Promise<{ readonly told: Readonly<Record<string, Kept>>; readonly loads: number }> {
  const before = await loadsOf(serving)
  const end = await startStreams(guest, domains)
  await work()
  const told = await end()
  const loads = (await loadsOf(serving)) - before
  for (const [domain, { downloads, events, cuts, failures }] of Object.entries(told)) {
    assert.deepEqual(failures, [], domain)
    assert.ok(downloads > 0 && events > 5, `${domain}: ${downloads} downloads, ${events} events`)
    // Before 2.7 Caddy cuts streams at every load.
    assert.ok(cuts <= loads, `${domain}: cut ${cuts} times by ${loads} loads`)
  }
  return { told, loads }
}

let town: Promise<Town> | undefined
const closing = new AsyncDisposableStack()
after(() => closing.disposeAsync())

/** Between the tests the Node is in the Cluster `one`. */
const opened = (): Promise<Town> =>
  (town ??= openTown({ after: (close) => closing.defer(() => void close()) }))

const told = ({ told, loads }: Awaited<ReturnType<typeof kept>>): string =>
  `${JSON.stringify(told)}, ${loads} loads`

test(
  'downloads of 20 seconds and a stream of events stay open while their Node moves to another Cluster: no download is cut, and no stream but by the load of a web server',
  onHosts,
  async (context) => {
    const given = await opened()
    const { fleet, web, guest } = given
    const [, edge, other] = given.serving
    assert.ok(edge && other)
    const moved = await kept(given, [CHOSEN], async () => {
      await fleet.record('cluster:node:detach', 'one', web.name, '--yes')
      await fleet.record('cluster:node:attach', 'two', web.name)
      await leadsTo(fleet, guest, CHOSEN, other)
      await isLeft(edge)
    })
    context.diagnostic(told(moved))
    await fleet.record('cluster:node:detach', 'two', web.name, '--yes')
    await fleet.record('cluster:node:attach', 'one', web.name)
    await leadsTo(fleet, guest, CHOSEN, edge)
  },
)

test(
  'the same while the top-level domain of their Cluster changes, under the old domain until its name is gone [RTX-043]',
  onHosts,
  async (context) => {
    const given = await opened()
    const renamed = await kept(given, [CHOSEN, GENERATED], async () => {
      await given.fleet.record('cluster:update', 'one', '--tld', 'second')
      assert.match(await page(given.guest, RENAMED), /^200 page/)
    })
    context.diagnostic(told(renamed))
  },
)

test(
  'the same while other sites come to their Node, of which each is one load, and the identical request none',
  onHosts,
  async (context) => {
    const given = await opened()
    const { fleet, web, serving } = given
    const others = Array.from({ length: 8 }, (_, at) => `other-${at}.internal`)
    const create = async (): Promise<void> => {
      for (const domain of others)
        await fleet.record('route:create', domain, '--node', web.name, '--upstream', 'http://127.0.0.1:8025')
    }
    const many = await kept(given, [CHOSEN], async () => {
      await create()
      const loads = await loadsOf(serving)
      await create()
      assert.equal(await loadsOf(serving), loads, 'identical requests load nothing')
    })
    context.diagnostic(told(many))
    assert.equal(many.loads, others.length, 'each new site is one load')
  },
)

const [SITES, SOCKET, SOCKET_PORT] = [500, 'socket.internal', 8026]
const sitesIn = `grep -c '^https://site-[0-9]*[.]internal' /etc/caddy/Caddyfile || true`

/** Records of that many custom proxies on the Node, whose certificates and sites a converge publishes together. */
async function recordSites(fleet: InstalledFleet, node: Host): Promise<void> {
  const { id } = await fleet.record('node:show', node.name)
  const sql = `insert into routes
      (kind, node_id, domain, provenance, publication, upstream, status, has_source, has_site, has_name, created_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${SITES})
    select 'custom_proxy', ${Number(id)}, 'site-' || n || '.internal', 'explicit', 'private', 'http://127.0.0.1:9',
      'active', 1, 1, 1, '2026-03-01T00:00:00.000Z' from numbers`
  const store = ['sqlite3', '-cmd', '.timeout 10000', '/var/lib/fleet/gateway.sqlite', sql] as const
  await fleet.gateway.host.run(store)
}

test(
  'under 300 requests a second, with a WebSocket, a stream of events and downloads of 20 seconds open, 500 other sites come to their Node in one load and its file changes once more: no request is lost, no download is cut, and identical requests load nothing',
  onHosts,
  async (context) => {
    const given = await opened()
    const { fleet, web, guest, serving } = given
    await serveSocket(web, SOCKET_PORT)
    const proxy = (domain: string, port: number) =>
      fleet.record('route:create', domain, '--node', web.name, '--upstream', `http://127.0.0.1:${port}`)
    await proxy(SOCKET, SOCKET_PORT)
    const end = await startRequests(guest, {
      url: `https://${CHOSEN}/plain.txt`,
      body: 'plain',
      socket: SOCKET,
      perSecond: 300,
    })
    const loadedBy = async (work: () => Promise<unknown>): Promise<number> => {
      const before = await loadsOf(serving)
      await work()
      return (await loadsOf(serving)) - before
    }
    const loads: number[] = []
    const many = await kept(given, [CHOSEN], async () => {
      await recordSites(fleet, web)
      const start = performance.now()
      for (const _again of [1, 2]) loads.push(await loadedBy(() => fleet.record('node:converge', web.name)))
      context.diagnostic(
        `converged twice with ${SITES} sites: ${((performance.now() - start) / 1000).toFixed(1)} s`,
      )
      for (const _again of [1, 2]) loads.push(await loadedBy(() => proxy('one-more.internal', 9)))
    })
    const requested = await end()
    context.diagnostic(`${told(many)}; ${JSON.stringify(requested)}`)
    assert.equal(Number(await web.run(['sh', '-c', sitesIn])), SITES)
    const address = await tunnelAddress(fleet, web.name)
    assert.match(await page(web, `site-${SITES}.internal`, '/', address), /^502 /)
    assert.deepEqual(loads, [1, 0, 1, 0])
    assert.deepEqual(requested.failures, [])
    // Before 2.7 Caddy cuts WebSockets at every load, and they are opened again.
    assert.ok(requested.cuts <= many.loads, `cut ${requested.cuts} times by ${many.loads} loads`)
    assert.ok(requested.messages > 20 && requested.sent > 100 * requested.seconds, JSON.stringify(requested))
  },
)
