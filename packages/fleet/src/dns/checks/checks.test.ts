import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { catalogText } from '@fleet/dns'
import { addNode, fakeCall, fakeExecutables, nodeRecord, openTestStore } from '@fleet/testing'
import { catalogOf } from '#/dns/catalog.ts'
import { dnsQuestion, type DnsView, makeDnsChecks } from '#/dns/checks/make.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import { readSources } from '#/dns/sources.ts'

/** The checks of a fleet with one hub, and what is true of it when it has loaded its names. */
async function world() {
  const store = await openTestStore()
  const hub = await addNode(store, { roles: ['vpn', 'gateway'] })
  const other = await addNode(store)
  const deps: DnsDeps = {
    store,
    nodes: {
      find: () => assert.fail('not asked'),
      sessions: { overTunnel: () => assert.fail('not asked'), overPublicSsh: () => assert.fail('not asked') },
    },
    network: {
      settings: () =>
        Promise.resolve({ range: '10.0.0.0/8', hubPort: 51_820, endpoint: null, suffix: 'fleet' }),
      leaving: () => Promise.resolve(new Set<number>()),
    },
    routes: { list: () => Promise.resolve([]) },
    executables: fakeExecutables(),
  }
  const digestNow = async (): Promise<string> => {
    const sources = (await readSources(deps)) ?? assert.fail('no sources')
    return createHash('sha256')
      .update(catalogText(catalogOf(sources)))
      .digest('hex')
  }
  const digest = await digestNow()
  const findings = async (
    view: DnsView,
    id = hub.id,
    meanwhile = async (): Promise<void> => undefined,
  ): Promise<readonly string[] | undefined> => {
    const checks = await makeDnsChecks(deps).checksOf(fakeCall(), nodeRecord({ id }))
    if (checks.length === 0) return undefined
    await meanwhile()
    const verdicts = checks.map(async (check) => {
      const verdict = check.kind === 'asked' ? await check.judge(view) : assert.fail('all of them ask')
      return verdict && 'expected' in verdict ? [`${check.code} ${verdict.observed}`] : []
    })
    return (await Promise.all(verdicts)).flat()
  }
  const machine = { resolved: 'nameserver 192.0.2.1\nnameserver 10.1.1.1\n', plain: undefined, leases: '' }
  const well: DnsView = {
    isRunning: true,
    boots: true,
    catalog: digest,
    loaded: digest,
    servers: ['192.0.2.1'],
    machine,
    trouble: undefined,
  }
  return {
    store,
    hub,
    other,
    findings,
    digestNow,
    well,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

test('private DNS that has loaded the names of the records has no finding, and only its Node is asked [DRF-034]', async () => {
  await using fleet = await world()
  assert.deepEqual(await fleet.findings(fleet.well), [])
  assert.equal(await fleet.findings(fleet.well, fleet.other.id), undefined)
})

test('other names, and names that are not loaded, are distinguished [DRF-034]', async () => {
  await using fleet = await world()
  assert.deepEqual(await fleet.findings({ ...fleet.well, catalog: 'a'.repeat(64) }), [
    'role.dns_projection_mismatch other names',
  ])
  assert.deepEqual(await fleet.findings({ ...fleet.well, loaded: '' }), [
    'role.dns_projection_mismatch not loaded',
  ])
})

test('a backend that asks others than the machine asks by now is found [RTX-107]', async () => {
  await using fleet = await world()
  const others = ['role.dns_projection_mismatch other resolvers']
  assert.deepEqual(await fleet.findings({ ...fleet.well, servers: ['192.0.2.2'] }), others)
  assert.deepEqual(await fleet.findings({ ...fleet.well, servers: ['192.0.2.1', '10.1.1.1'] }), others)
  const resolved = 'nameserver 192.0.2.1\nnameserver 192.0.2.2\n'
  const two = { ...fleet.well, machine: { ...fleet.well.machine, resolved } }
  assert.deepEqual(await fleet.findings(two), others)
  assert.deepEqual(await fleet.findings({ ...two, servers: ['192.0.2.2', '192.0.2.1'] }), [])
})

test('names that are published while Doctor asks are those of the records, as they were or as they are by then [DRF-034]', async () => {
  await using fleet = await world()
  const { store, hub, other, well } = fleet
  const rename = async (name: string): Promise<void> =>
    void (await store.db.updateTable('nodes').set({ name }).where('id', '=', other.id).execute())
  await rename('next')
  const next = await fleet.digestNow()
  await rename(other.name)
  const meanwhile = () => rename('next')
  assert.deepEqual(await fleet.findings({ ...well, catalog: next, loaded: next }, hub.id, meanwhile), [])
  await rename(other.name)
  assert.deepEqual(await fleet.findings(well, hub.id, meanwhile), [])
  assert.deepEqual(await fleet.findings(well), ['role.dns_projection_mismatch other names'])
})

test('the names of a Node whose enrolment stopped may be published or not, those of an active one must be', async () => {
  await using fleet = await world()
  const published = { ...fleet.well }
  for (const status of ['failed', 'provisioning'] as const) {
    const { id } = await addNode(fleet.store, { status })
    assert.deepEqual(await fleet.findings(published), [], status)
    await fleet.store.db.updateTable('nodes').set({ status: 'active' }).where('id', '=', id).execute()
    assert.deepEqual(await fleet.findings(published), ['role.dns_projection_mismatch other names'], status)
    await fleet.store.db.deleteFrom('nodes').where('id', '=', id).execute()
  }
})

test('private DNS that does not run is reported once [DRF-030]', async () => {
  await using fleet = await world()
  const down = { ...fleet.well, isRunning: false, boots: false, catalog: '', loaded: '', servers: [] }
  assert.deepEqual(await fleet.findings(down), ['role.services_inactive not running: private DNS'])
  assert.deepEqual(await fleet.findings({ ...fleet.well, boots: false }), [
    'role.services_inactive does not start at boot: private DNS',
  ])
})

test('what is no answer of the private DNS is none', () => {
  assert.equal(dnsQuestion('').read({ exitCode: 0, text: 'running 9\nyes' }), undefined)
  assert.equal(dnsQuestion('').read({ exitCode: 2, text: '' }), undefined)
})
