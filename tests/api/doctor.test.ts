import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { doctorFamilies, errorRegistry } from '@fleet/contract'
import { SshFailure, type SshPool } from '@fleet/ssh'
import { startTestGateway, type TestGateway } from './harness.ts'

const unreachable = (): Promise<never> => Promise.reject(new SshFailure('unreachable', false))
const ssh: SshPool = {
  run: unreachable,
  forward: unreachable,
  probe: unreachable,
  scan: unreachable,
  forget: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
}
let fleet: TestGateway
before(async () => {
  fleet = await startTestGateway({ ssh })
})
after(() => fleet[Symbol.asyncDispose]())

const ask = (body: unknown, from: 'gateway' | 'granted' | 'ungranted' = 'granted') =>
  fleet.ask('POST', '/api/v1/doctor', { from, body })

test('a Node checks itself and what it holds grants on, in the families it names [DRF-001, DRF-004]', async () => {
  const { status, json } = await ask({ families: ['route', 'node'] })
  assert.equal(status, 200)
  assert.deepEqual(
    json.data.nodes.map(({ node_id }: { node_id: number }) => node_id),
    [fleet.nodes.granted],
  )
  assert.deepEqual(
    json.data.nodes[0].families.map(({ family }: { family: string }) => family),
    ['node', 'route'],
  )
})

test('a Node outside the grants of the caller is refused, one that does not exist is none [DRF-003]', async () => {
  const refused = await ask({ node_id: fleet.nodes.ungranted })
  assert.deepEqual([refused.status, refused.json.error.code], [403, 'node_access.required'])
  assert.deepEqual(refused.json.error.details.serving_node, { id: fleet.nodes.ungranted, name: 'ungranted' })
  const missing = await ask({ node_id: 99_999 })
  assert.deepEqual([missing.status, missing.json.error.code], [404, 'node.not_found'])
})

test('bad input is refused before anything is checked [DRF-001, DRF-003]', async () => {
  for (const body of [
    { node_id: 0 },
    { node_id: '1' },
    { node_id: 1.5 },
    { families: [] },
    { families: ['nodes'] },
    { families: 'node' },
    { other: 1 },
  ]) {
    const { status, json } = await ask(body)
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'], JSON.stringify(body))
  }
})

test('a report writes one Activity and stores nothing else [DRF-002]', async () => {
  const rows = async () => {
    const { db } = fleet.store
    const nodes = await db.selectFrom('nodes').selectAll().orderBy('id').execute()
    const roles = await db.selectFrom('node_roles').selectAll().orderBy('id').execute()
    return { nodes, roles }
  }
  const activities = () =>
    fleet.store.db.selectFrom('activities').select(['command', 'status']).orderBy('id').execute()
  const [before, logged] = [await rows(), (await activities()).length]
  assert.equal((await ask({})).status, 200)
  assert.deepEqual(await rows(), before)
  assert.deepEqual((await activities()).slice(logged), [{ command: 'doctor:run', status: 'succeeded' }])
})

test('every family may be asked for, also one that has nothing to check [DRF-011]', async () => {
  for (const family of doctorFamilies) {
    const { status, json } = await ask({ families: [family], node_id: fleet.nodes.granted })
    assert.deepEqual([status, json.data.nodes[0].families[0].family], [200, family])
  }
})

test('the code of clients for a bad Node id is none of the gateway [DRF-015]', () => {
  assert.equal(Object.hasOwn(errorRegistry, 'doctor.node_id_invalid'), false)
})
