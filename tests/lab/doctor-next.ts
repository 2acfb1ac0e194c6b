import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sampled } from '@fleet/testing/sample'
import { startGitServer } from '@fleet/testing/git-server'
import type { Host } from '../../lab/index.ts'
import type { Mutation } from './doctor-mutations.test.ts'
import { assertHealthy, issuesIn, repair, reportOf, restore } from './doctor-report.ts'
import { type InstalledFleet, startInstalledFleet } from './installed.ts'
import { onHosts } from './site.ts'
import { trust } from './trust.ts'

/** A run tries every third mutation, a whole run all of them. */
const SHARE = 3

/** One test for each mutation, on one fleet whose Node owns an Instance: each leaves it as healthy as it found it. */
export function followEach(name: string, mutations: readonly Mutation[]): void {
  const shared = new AsyncDisposableStack()
  let begun: Promise<InstalledFleet> | undefined
  after(() => shared.disposeAsync())
  for (const mutation of sampled(mutations, SHARE))
    test(mutation.title, onHosts, async () => follow(await (begun ??= started(name, shared)), mutation))
}

async function started(name: string, shared: AsyncDisposableStack): Promise<InstalledFleet> {
  const words = ['--tld', 'web.test']
  const fleet = shared.use(
    await startInstalledFleet({ name, nodes: [{ name: 'web', roles: ['app-dev'], words }] }),
  )
  const git = shared.use(await startGitServer(['shop'], fleet.lab.addresses.machine))
  const web = fleet.node('web')
  await trust(git.caFile, 'test-git', fleet.gateway.host, web)
  await fleet.record('project:create', 'shop', git.urlOf('shop'), '--type', 'node-package', '--root', '.')
  await fleet.record('instance:create', 'shop', web.name, 'default')
  await fleet.record('node:firewall:allow', web.name, 'shop', '8080')
  const comment = String.raw`ufw status numbered | sed -n 's/.*# \(fleet:node:[0-9]*:firewall:shop\).*/\1/p' | head -n 1 >/root/shop-comment`
  await web.run(['sh', '-c', comment])
  // What a person runs on the Node.
  await web.run(['systemd-run', '--unit=shop', '--uid=fleet', 'sleep', 'infinity'])
  await assertHealthy(fleet)
  return fleet
}

/** What a repair must not touch. */
async function inUse(fleet: InstalledFleet): Promise<unknown> {
  const process = await fleet
    .node('web')
    .run(['systemctl', 'show', '--property=MainPID,ActiveState', 'shop.service'])
  const checkout = await fleet
    .node('web')
    .run(['stat', '--format=%i %Z', '/home/fleet/apps/shop/default/.git/HEAD'])
  const instances = await fleet.records('instance:list')
  return { process, checkout, instances: instances.map(({ id, status }) => ({ id, status })) }
}

async function breakIt(fleet: InstalledFleet, host: Host, { line, records }: Mutation): Promise<void> {
  if (line !== undefined) await host.run(['sh', '-c', line])
  if (records === undefined) return
  const { id } = await fleet.record('node:show', fleet.nameOf('web'))
  const sql = records.replaceAll('{web}', String(id))
  await fleet.gateway.host.run(['sqlite3', '/var/lib/fleet/gateway.sqlite', sql])
}

/** Breaks one thing, runs the command that Doctor names as it is printed, and finds everything as it was. */
async function follow(fleet: InstalledFleet, mutation: Mutation): Promise<void> {
  const { code, on, byHand, pretended, afterwards, with: others = [] } = mutation
  const host: Host = on === undefined ? fleet.node('web') : fleet.gateway.host
  const before = await inUse(fleet)
  await breakIt(fleet, host, mutation)
  try {
    const found = issuesIn(await reportOf(fleet))
    assert.deepEqual(
      found.map((issue) => `${issue.node} ${issue.code}`).toSorted(),
      [`${on ?? 'web'} ${code}`, ...others].map((one) => one.replace(/^web/, fleet.nameOf('web'))).toSorted(),
    )
    if (byHand !== undefined) await host.run(['sh', '-c', byHand])
    const next = found.find((issue) => issue.code === code)
    if (!pretended) await repair(fleet, next)
    if (afterwards !== undefined) await host.run(['sh', '-c', afterwards])
    await assertHealthy(fleet)
    assert.deepEqual(await inUse(fleet), before)
  } finally {
    await restore(fleet)
  }
}
