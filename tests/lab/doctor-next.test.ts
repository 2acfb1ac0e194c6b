import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { doctorCodes } from '@fleet/contract'
import { startGitServer } from '@fleet/testing/git-server'
import type { Host } from '../../lab/index.ts'
import { MUTATIONS, type Mutation, NOT_MADE } from './doctor-mutations.ts'
import { assertHealthy, issuesIn, repair, reportOf, restore } from './doctor-report.ts'
import { type InstalledFleet, startInstalledFleet } from './installed.ts'
import { onHosts } from './site.ts'

const shared = new AsyncDisposableStack()
let begun: Promise<InstalledFleet> | undefined
after(() => shared.disposeAsync())

/** One fleet for all tests, whose Node owns an Instance: each test leaves it as healthy as it found it. */
const theFleet = (): Promise<InstalledFleet> => (begun ??= started())

async function started(): Promise<InstalledFleet> {
  const words = ['--tld', 'web.test']
  const fleet = shared.use(
    await startInstalledFleet({ name: 'next', nodes: [{ name: 'web', roles: ['app-dev'], words }] }),
  )
  const git = shared.use(await startGitServer(['shop'], fleet.lab.addresses.machine))
  const web = fleet.node('web')
  for (const host of [fleet.gateway.host, web]) await trust(host, git.caFile)
  await fleet.record('project:create', 'shop', git.urlOf('shop'), '--type', 'node-package', '--root', '.')
  await fleet.record('instance:create', 'shop', web.name, 'default')
  await fleet.record('node:firewall:allow', web.name, 'shop', '8080')
  const comment = String.raw`ufw status numbered | sed -n 's/.*# \(fleet:[0-9]*:shop\).*/\1/p' | head -n 1 >/root/shop-comment`
  await web.run(['sh', '-c', comment])
  // What a person runs on the Node.
  await web.run(['systemd-run', '--unit=shop', '--uid=fleet', 'sleep', 'infinity'])
  await assertHealthy(fleet)
  return fleet
}

async function trust(host: Host, authority: string): Promise<void> {
  copyFileSync(authority, join(host.root, 'usr/local/share/ca-certificates/test-git.crt'))
  await host.run(['update-ca-certificates'])
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

test('every code of Doctor has its mutation here, or stands in the list of those that have none with the reason', () => {
  const made = new Set<string>(MUTATIONS.map(({ code }) => code))
  const named = new Set(Object.keys(NOT_MADE))
  assert.deepEqual(
    Object.keys(doctorCodes).filter((code) => !made.has(code) && !named.has(code)),
    [],
    'codes without a mutation',
  )
  const known = new Set(Object.keys(doctorCodes))
  assert.deepEqual(
    [...named].filter((code) => made.has(code) || !known.has(code)),
    [],
    'codes that are made, or are none any more',
  )
})

for (const mutation of MUTATIONS) {
  const { title, code, on, byHand, pretended, afterwards, with: others = [] } = mutation
  test(title, onHosts, async () => {
    const fleet = await theFleet()
    const host: Host = on === undefined ? fleet.node('web') : fleet.gateway.host
    const before = await inUse(fleet)
    await breakIt(fleet, host, mutation)
    try {
      const found = issuesIn(await reportOf(fleet))
      assert.deepEqual(
        found.map((issue) => `${issue.node} ${issue.code}`).toSorted(),
        [code, ...others].map((one) => `${on ?? fleet.nameOf('web')} ${one}`).toSorted(),
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
  })
}
