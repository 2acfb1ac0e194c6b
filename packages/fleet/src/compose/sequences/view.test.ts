import assert from 'node:assert/strict'
import { fakeCall } from '@fleet/testing'
import type { Town } from '#/compose/sequences/town.test.ts'
import { type Machine, Machines } from '#/compose/sequences/machines.test.ts'
import { openRelease } from '#/routes/api.ts'
import type { SiteHandler } from '#/web-server/api.ts'

/** What every Node and the private DNS have of Routes. */
export async function viewOf({ store }: Town, machines: Machines): Promise<unknown> {
  const nodes = await store.db.selectFrom('nodes').select(['id', 'name']).orderBy('id').execute()
  return {
    nodes: Object.fromEntries(nodes.map(({ id, name }) => [name, shown(machines.of(id))])),
    names: machines.catalog,
  }
}

const shown = ({ file, leaves, pools, opened, homes, ufw }: Machine): unknown => ({
  file,
  leaves: inOrder(leaves),
  pools,
  opened: inOrder(
    new Map([...opened].filter(([path, roots]) => roots.length > 0 && !isEarlier({ homes, opened }, path))),
  ),
  rules: ufw.rules,
})

/** A release that was served before may be read as long as the selected one is: by requests that it still answers. */
function isEarlier({ homes, opened }: Pick<Machine, 'homes' | 'opened'>, path: string): boolean {
  const [, home = '', release] = /^(.+)\/releases\/([^/]+)$/.exec(path) ?? []
  const selected = homes.selectedIn(home)
  if (selected === undefined || selected === release) return false
  return (opened.get(`${home}/releases/${selected}`)?.length ?? 0) > 0
}

const inOrder = (given: ReadonlyMap<string, unknown>): unknown =>
  Object.fromEntries([...given].toSorted(([one], [other]) => one.localeCompare(other)))

/** What machines that never had anything get from the records. */
export async function freshView(town: Town): Promise<unknown> {
  const machines = new Machines()
  const { domains } = town.startOn(machines)
  const { nodes, certificates, webServer, php, routes, sourceAccess } = domains
  const call = fakeCall()
  const all = await nodes.nodes.list()
  for (const node of all)
    await domains.firewall.firewall.onNodes.restore(nodes.nodes.sessions.overTunnel(call, node))
  for (const { nodeId, leaf } of await routes.leaves.leaves()) {
    const node = all.find(({ id }) => id === nodeId) ?? assert.fail(`a leaf on no Node: ${leaf.scope}`)
    await certificates.publishLeaf(nodes.nodes.sessions.overTunnel(call, node), leaf)
  }
  for (const node of all) {
    const session = nodes.nodes.sessions.overTunnel(call, node)
    await php.converge(session)
    await webServer.build(session, 'app-dev')
    for (const { checkoutPath } of await domains.servedSource.servedOn(node))
      await sourceAccess.apply(session, checkoutPath)
    const production = await town.store.db
      .selectFrom('instances')
      .select(['id', 'selected_release'])
      .where('node_id', '=', node.id)
      .where('environment', '=', 'production')
      .execute()
    for (const { id, selected_release: release } of production)
      if (release !== null) await openRelease({ store: town.store, sourceAccess }, session, { id, release })
  }
  await domains.dns.names.publish(call)
  return viewOf(town, machines)
}

/** Nodes have selected what the records say, and nothing half-made is left of a deployment that did not end. */
export async function requireReleases({ store, machines }: Town): Promise<void> {
  const instances = await store.db
    .selectFrom('instances')
    .selectAll()
    .where('environment', '=', 'production')
    .execute()
  for (const { name, node_id, production_home, selected_release } of instances) {
    const selected = machines.of(node_id).homes.selectedIn(production_home ?? '')
    assert.equal(selected, selected_release ?? undefined, `the selected release of ${name}`)
  }
}

/** Every active Route is answered under its name, all the way to what it leads to. */
export async function requireAnswers({ store, machines }: Town): Promise<void> {
  const { records } = JSON.parse(machines.catalog) as { readonly records: Readonly<Record<string, string>> } // As the listener reads it.
  const routes = await store.db
    .selectFrom('routes')
    .select(['domain', 'status'])
    .where('status', '=', 'active')
    .execute()
  for (const { domain } of routes) {
    const address = records[domain] ?? assert.fail(`${domain} has no address`)
    requireServed(machines, address, domain)
  }
}

function requireServed(machines: Machines, address: string, domain: string): void {
  const { machine, site } =
    machines.siteAt(address, domain) ?? assert.fail(`nothing answers ${domain} at ${address}`)
  const { tls } = site
  if (tls.kind === 'leaf') {
    const leaf = [...machine.leaves].find(([scope]) => tls.file.includes(`/${scope}/`))
    assert.ok(
      leaf?.[1].split(' ').includes(domain),
      `${domain} at ${address} has the certificate of ${leaf?.[1]}`,
    )
  }
  requireHandled(machines, { machine, domain }, site.handler)
}

function requireHandled(
  machines: Machines,
  { machine, domain }: { readonly machine: Machine; readonly domain: string },
  handler: SiteHandler,
): void {
  if (handler.kind === 'unavailable') assert.fail(`${domain} is unavailable`)
  if (handler.kind === 'files') requireRelease(machine, domain, handler)
  if (handler.kind !== 'pool') return
  assert.ok(handler.targets.length > 0, `${domain} leads to nothing`)
  for (const target of handler.targets)
    if (target.kind === 'tcp') requireServed(machines, target.address, domain)
    else {
      const site = machine.sites.find(
        ({ listener }) => listener.kind === 'unix' && listener.path === target.path,
      )
      requireHandled(machines, { machine, domain }, site?.handler ?? assert.fail(`no ${target.path}`))
    }
}

/** The selected release of a production home is whole, the web server may read what the site serves of it, and PHP has it. */
function requireRelease(
  { homes, opened, php }: Machine,
  domain: string,
  site: Extract<SiteHandler, { kind: 'files' }>,
): void {
  const [, home = '', root = '.'] = /^(.+)\/current(?:\/(.*))?$/.exec(site.root) ?? []
  const release = homes.selectedIn(home)
  // Nothing has been deployed there yet, or it is a checkout of development.
  if (release === undefined) return
  const path = `${home}/releases/${release}`
  assert.ok(homes.completeIn(home).includes(release), `${domain} serves ${release}, which is not whole`)
  const readable = opened.get(path) ?? []
  assert.ok(
    readable.includes(root),
    `${domain} serves ${root} of ${release}, of which ${readable} may be read`,
  )
  if (site.php !== undefined) assert.equal(php.get(home), release, `${domain} has the PHP of another release`)
}
