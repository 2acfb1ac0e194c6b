import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answerText,
  addCluster,
  addNode,
  addRole,
  fakeCall,
  FakeClock,
  forEachDialect,
  openTestStore,
} from '@fleet/testing'
import type { DialectName, Store } from '@fleet/store'
import { type Check, roleLockName } from '#/nodes/api.ts'
import { makeRoleChecks } from '#/roles/checks/make.ts'

interface World extends AsyncDisposable {
  readonly store: Store
  /** Codes of what the records of a Node tell, with the role, and what was expected and observed. */
  reported(node: { readonly id: number }): Promise<string[]>
  checksOf(node: { readonly id: number }): Promise<readonly Check[]>
}

async function startWorld(dialect?: DialectName): Promise<World> {
  const clock = new FakeClock()
  const store = await openTestStore({ clock, ...(dialect ? { dialect } : {}) })
  const checks = makeRoleChecks({ store, clock })
  const checksOf: World['checksOf'] = async ({ id }) => {
    const row = await store.db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return checks.checksOf(fakeCall(), { ...row, activeRoles: [] })
  }
  const reported: World['reported'] = async (node) => {
    const lines: string[] = []
    for (const check of await checksOf(node)) {
      const verdict = check.kind === 'stored' ? await check.judge() : undefined
      if (verdict && 'expected' in verdict)
        lines.push(`${check.code} ${check.resource.name}: ${verdict.expected}, ${verdict.observed}`)
    }
    return lines
  }
  return { store, reported, checksOf, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

const OLD = '2026-01-02T02:53:05.000Z'
const FRESH = '2026-01-02T02:53:06.000Z'

forEachDialect('an assignment that is not active is reported by its status [DRF-029]', async (dialect) => {
  await using world = await startWorld(dialect)
  const node = await addNode(world.store, { roles: ['database'] })
  assert.deepEqual(await world.reported(node), [])
  const claim = { status: 'provisioning', claimed_at: FRESH } as const
  await addRole(world.store, { node_id: node.id, role: 'metrics', ...claim })
  await addRole(world.store, { node_id: node.id, role: 'websocket', status: 'failed' })
  await addRole(world.store, { node_id: node.id, role: 'router', status: 'removing', claimed_at: null })
  assert.deepEqual(await world.reported(node), [
    'role.lifecycle_not_active metrics: active, provisioning',
    'role.lifecycle_not_active websocket: active, failed',
    'role.lifecycle_not_active router: active, removing',
    'role.cluster_ownership_mismatch router: in a Cluster, in none',
  ])
})

forEachDialect(
  'a claim of 11 minutes is reported as stale, unless somebody holds the roles of the Node [DRF-029, ROLE-022]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const node = await addNode(world.store, { roles: [] })
    await addRole(world.store, {
      node_id: node.id,
      role: 'database',
      status: 'provisioning',
      claimed_at: OLD,
    })
    assert.deepEqual(await world.reported(node), ['role.claim_stale database: held, stale'])
    await using _ = await world.store.locks.acquire({
      name: roleLockName(node.id),
      operation: 'node:role:add',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 600,
    })
    assert.deepEqual(await world.reported(node), ['role.lifecycle_not_active database: active, provisioning'])
  },
)

forEachDialect(
  'a pair that never shares a Node is reported once, whatever its status [DRF-036, ROLE-014]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const node = await addNode(world.store, { roles: ['database', 'app-prod', 'metrics'] })
    assert.deepEqual(await world.reported(node), [
      'role.assignment_conflict database: one of the two, app-prod and database',
    ])
  },
)

forEachDialect(
  'two holders of a singleton are reported on both Nodes; what is being taken away holds nothing [DRF-036]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const [one, other] = [
      await addNode(world.store, { roles: ['metrics', 'app-dev'] }),
      await addNode(world.store, { roles: ['metrics', 'app-dev'] }),
    ]
    for (const node of [one, other])
      assert.deepEqual(await world.reported(node), ['role.singleton_conflict metrics: 1, 2'])
    await world.store.db
      .updateTable('node_roles')
      .set({ status: 'failed' })
      .where('node_id', '=', other.id)
      .where('role', '=', 'metrics')
      .execute()
    assert.deepEqual(await world.reported(one), [])
  },
)

for (const role of ['router', 'ingress'] as const) {
  forEachDialect(`${role} belongs to a Cluster, and a Cluster has one [DRF-037]`, async (dialect) => {
    await using world = await startWorld(dialect)
    const nodes = [
      await addNode(world.store, { roles: [role] }),
      await addNode(world.store, { roles: [role] }),
    ]
    const [one = assert.fail(), other = assert.fail()] = nodes
    assert.deepEqual(await world.reported(one), [
      `role.cluster_ownership_mismatch ${role}: in a Cluster, in none`,
    ])
    await addCluster(world.store, {}, [one])
    await addCluster(world.store, {}, [other])
    assert.deepEqual(await world.reported(one), [])
    await addCluster(world.store, {}, nodes)
    assert.deepEqual(await world.reported(one), [`role.cluster_cardinality_conflict ${role}: 1, 2`])
  })
}

test('the machine of an active role is asked for its packages and services, that of another role for nothing [DRF-030]', async () => {
  await using world = await startWorld()
  const node = await addNode(world.store, { roles: ['database', 'gateway'] })
  await addRole(world.store, { node_id: node.id, role: 'app-dev', status: 'failed' })
  const asked = (await world.checksOf(node)).filter((check) => check.kind === 'asked')
  assert.deepEqual(
    asked.map(({ code, resource, question }) => [code, resource.name, question.args]),
    [
      ['role.packages_missing', 'database', ['docker.io|docker-ce', 'docker-cli|docker-ce-cli?']],
      ['role.services_inactive', 'database', ['docker.service']],
    ],
  )
  const [packages = assert.fail(), units = assert.fail()] = asked
  const answer = (text: string) => ({ exitCode: 0, text })
  const printed = (fields: Readonly<Record<string, string>>) =>
    answer(answerText({ ...fields, end: 'yes' }).trimEnd())
  assert.deepEqual(packages.judge(packages.question.read(printed({ missing: 'docker.io' }))), {
    expected: 'installed',
    observed: 'not installed: docker.io',
  })
  const service = { unit: 'docker.service', state: 'failed (exit-code)', journal: ['no space left'] }
  const state = 'ActiveState=failed SubState=failed Result=exit-code ExecMainStatus=0'
  const failed = {
    inactive: 'docker.service\n',
    disabled: '',
    unit: service.unit,
    state,
    journal: 'no space left',
  }
  assert.deepEqual(units.judge(units.question.read(printed(failed))), {
    expected: 'running',
    observed: 'not running: docker.service',
    service,
  })
  assert.deepEqual(
    units.judge(units.question.read(printed({ inactive: '', disabled: 'docker.service\n' }))),
    {
      expected: 'starts at boot',
      observed: 'does not start at boot: docker.service',
    },
  )
  assert.equal(units.judge(units.question.read(printed({ inactive: '', disabled: '' }))), undefined)
  assert.equal(units.question.read(answer('inactive 14\ndocker.service')), undefined)
  assert.equal(units.question.read(printed({ inactive: 'another.service', disabled: '' })), undefined)
})
