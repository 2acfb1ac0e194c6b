import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { addRole, forEachDialect, refusalOf, startRolesWorld } from '@fleet/testing'

forEachDialect(
  'a first role is claimed, converged and active; public SSH is closed and the machine moved to managed DNS [ROLE-016, NODE-066, NODE-129]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    const { data, created } = await world.add('database')
    assert.deepEqual(
      [data.role, data.status, data.failed_step, data.error_code, created],
      ['database', 'active', null, null, true],
    )
    assert.deepEqual(world.services.calls, [
      'tunnel.requireConfigured',
      'roles.requireCapable.database web',
      'role.database.packages web',
      'firewall.closePublicSsh web',
      'tunnel.applyResolver web',
      'dns.publish',
      'exporters.reconcile web',
    ])
    assert.deepEqual(world.calls[0]?.steps, [
      'role:packages started',
      'role:packages done',
      'role:public-ssh started',
      'role:public-ssh done',
      'role:managed-dns started',
      'role:managed-dns done',
      'role:private-dns started',
      'role:private-dns done',
      'role:metrics-exporters started',
      'role:metrics-exporters done',
    ])
    const [event] = world.calls[0]?.events ?? []
    assert.equal(event?.type, 'node.updated')
    const reported = event?.data as { readonly roles: unknown } | undefined // The event carries the Node.
    assert.deepEqual(reported?.roles, ['database'])
  },
)

test('a further role leaves public SSH alone and looks at the resolver [NODE-066]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  world.services.calls.length = 0
  await world.add('app-dev')
  assert.deepEqual(
    world.services.calls.filter((call) => /firewall|tunnel.apply/.test(call)),
    ['tunnel.applyResolver web'],
  )
})

test('an active role is answered as it is, unless it is to be converged again [GW-021, ROLE-016, ROLE-023]', async () => {
  await using world = await startRolesWorld()
  const first = await world.add('database')
  assert.equal(first.created, true)
  world.services.calls.length = 0
  const again = await world.add('database')
  assert.deepEqual([again.data, again.created, world.services.calls], [first.data, undefined, []])
  const converged = await world.add('database', { converge_existing: true })
  assert.deepEqual([converged.data.status, converged.created], ['active', false])
  assert.ok(world.services.calls.includes('role.database.packages web'))
})

test('on the machine of the gateway a resolver that cannot be set shows in the follow-up alone; elsewhere it fails the role [NODE-132]', async () => {
  await using world = await startRolesWorld()
  const onGateway = { node: world.gateway.id, converge_existing: true }
  world.services.breakAt('tunnel.applyResolver')
  const { data } = await world.add('vpn', onGateway)
  assert.deepEqual(
    [data.status, data.follow_up],
    ['active', 'The resolver of a Node could not be configured; run Doctor for details.'],
  )
  assert.ok(world.calls[0]?.steps.includes('role:managed-dns failed'))
  world.services.roleSays = 'A file was kept.'
  assert.equal(
    (await world.add('vpn', onGateway)).data.follow_up,
    'A file was kept. The resolver of a Node could not be configured; run Doctor for details.',
  )
  world.services.roleSays = undefined
  world.services.clearFaults()
  assert.equal((await world.add('vpn', onGateway)).data.follow_up, null)
  world.services.breakAt('tunnel.applyResolver')
  const { code, details } = await refusalOf(world.add('database'))
  assert.deepEqual([code, details['step']], ['node_role.convergence_failed', 'managed-dns'])
})

test('vpn is converged again where it is and given to no other Node [ROLE-003, ROLE-023]', async () => {
  await using world = await startRolesWorld()
  const again = { converge_existing: true }
  assert.equal((await refusalOf(world.add('vpn', again))).code, 'validation.failed')
  assert.equal((await refusalOf(world.add('vpn', { node: world.gateway.id }))).code, 'validation.failed')
  const { data, created } = await world.add('vpn', { ...again, node: world.gateway.id })
  assert.deepEqual([data.status, created], ['active', false])
})

test('while a claim runs the assignment says so [ROLE-020]', async () => {
  await using world = await startRolesWorld()
  const seen: string[][] = []
  const [step] = [
    {
      name: 'look',
      run: async () => void seen.push((await world.roles()).filter((row) => row.startsWith('web'))),
    },
  ]
  Object.assign(world.services.roles, { convergence: () => [step], removal: () => [step] })
  await world.add('database')
  await world.remove('database')
  assert.deepEqual(seen, [['web database provisioning'], ['web database removing']])
})

test('a failed step stands on the assignment with its code, and the identical request finishes [ROLE-021, ROLE-026]', async () => {
  await using world = await startRolesWorld()
  const holder = { process_id: 812, program: 'unattended-upgr' }
  world.services.breakAt(
    'role.database.packages',
    fail('node_role.tool_manager_locked', { details: { holder } }),
  )
  const refusal = await refusalOf(world.add('database'))
  assert.equal(refusal.code, 'node_role.convergence_failed')
  assert.deepEqual(
    [refusal.details['step'], refusal.details['error_code'], refusal.details['holder']],
    ['packages', 'node_role.tool_manager_locked', holder],
  )
  assert.ok(
    (await world.roles()).includes('web database failed converge:packages node_role.tool_manager_locked'),
  )
  world.services.clearFaults()
  assert.equal((await world.add('database')).data.status, 'active')
})

test('a removal that failed is finished by removal alone [ROLE-024]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  world.services.breakAt('role.database.packages')
  await refusalOf(world.remove('database'))
  world.services.clearFaults()
  for (const further of [{}, { converge_existing: true }])
    assert.equal((await refusalOf(world.add('database', further))).code, 'node_role.removing')
  assert.equal((await world.remove('database')).data.removed, true)
})

const CLAIMS = {
  'provisioning 10 min': { status: 'provisioning', claimed_at: '2026-01-02T02:54:06.000Z' },
  'provisioning 11 min': { status: 'provisioning', claimed_at: '2026-01-02T02:53:05.000Z' },
  'provisioning of nobody': { status: 'provisioning', claimed_at: null },
  'removing 11 min': { status: 'removing', claimed_at: '2026-01-02T02:53:05.000Z' },
  'failed convergence': { status: 'failed', failed_step: 'converge:packages' },
  'failed removal': { status: 'failed', failed_step: 'remove:packages' },
  active: { status: 'active' },
} as const

for (const [name, claim] of Object.entries(CLAIMS)) {
  const expected = {
    'provisioning 10 min': 'node_role.converging',
    'removing 11 min': 'node_role.removing',
    'failed removal': 'node_role.removing',
  }[name]
  test(`converging again ${expected ? `is refused for` : 'takes'} an assignment: ${name} [ROLE-022, ROLE-023, ROLE-024]`, async () => {
    await using world = await startRolesWorld()
    await addRole(world.store, { node_id: world.web.id, role: 'database', ...claim })
    const asked = world.add('database', { converge_existing: true })
    if (expected) assert.equal((await refusalOf(asked)).code, expected)
    else assert.equal((await asked).data.status, 'active')
  })
}

test('the Processes of analytics are asked of it and of no other role, before its services are [ROLE-012, ROLE-016]', async () => {
  await using world = await startRolesWorld()
  const both = { postgres_process_id: 1, clickhouse_process_id: 2 }
  for (const input of [{}, { postgres_process_id: 1 }])
    assert.equal((await refusalOf(world.add('analytics', input))).code, 'validation.failed')
  const wrong = await refusalOf(world.add('database', both))
  assert.deepEqual(wrong.details['errors'], {
    postgres_process_id: ['is not an option of database'],
    clickhouse_process_id: ['is not an option of database'],
  })
  world.services.breakAt('roles.requireCapable.analytics', fail('node.capability_missing'))
  assert.equal((await refusalOf(world.add('analytics', both))).code, 'node.capability_missing')
  assert.deepEqual(
    (await world.roles()).filter((row) => row.startsWith('web')),
    [],
  )
})

test('its options are stored sealed and are no part of an answer [ROLE-033]', async () => {
  await using world = await startRolesWorld()
  const { data } = await world.add('analytics', { postgres_process_id: 41, clickhouse_process_id: 42 })
  assert.deepEqual(Object.keys(data), ['id', 'role', 'status', 'failed_step', 'error_code', 'follow_up'])
  const row = await world.store.db
    .selectFrom('node_roles')
    .selectAll()
    .where('id', '=', data.id)
    .executeTakeFirstOrThrow()
  assert.match(String(row.settings), /^v1:/)
})

test('roles of other assignedBy, conflicts and second singletons are refused before any command [ROLE-003, ROLE-009, ROLE-011, ROLE-013]', async () => {
  await using world = await startRolesWorld()
  await addRole(world.store, { node_id: world.spare.id, role: 'metrics' })
  await addRole(world.store, { node_id: world.web.id, role: 'app-dev', status: 'failed' })
  const codes = []
  for (const role of ['vpn', 'router', 'app-prod', 'metrics', 'gateway'] as const)
    codes.push((await refusalOf(world.add(role))).code)
  assert.deepEqual(codes, [
    'validation.failed',
    'validation.failed',
    'validation.failed',
    'node.role_conflict',
    'validation.failed',
  ])
  assert.deepEqual(world.services.calls, [])
})

test('only an active Node of a fleet with a private network takes roles [NODE-024]', async () => {
  await using world = await startRolesWorld()
  assert.equal((await refusalOf(world.add('database', { node: 77 }))).code, 'node.not_found')
  world.services.breakAt('tunnel.requireConfigured', fail('node.capability_missing'))
  assert.equal((await refusalOf(world.add('database'))).code, 'node.capability_missing')
  await world.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  assert.equal((await refusalOf(world.add('database'))).code, 'node.not_active')
})

test('exporters that lag behind do not take the role back', async () => {
  await using world = await startRolesWorld()
  world.services.breakAt('exporters.reconcile')
  assert.equal((await world.add('database')).data.status, 'active')
  assert.deepEqual(world.calls[0]?.logged, ['an optional step failed'])
})

test('of an assignment only the gateway Node gets a grant of its own, on active vpn and metrics Nodes and no others', async () => {
  await using world = await startRolesWorld()
  const granted = () =>
    world.store.db.selectFrom('node_grants').select(['consumer_node_id', 'serving_node_id']).execute()
  for (const role of ['database', 'app-dev'] as const) await world.add(role)
  assert.deepEqual(await granted(), [])
  await addRole(world.store, { node_id: world.spare.id, role: 'metrics', status: 'failed' })
  await world.add('vpn', { node: world.gateway.id, converge_existing: true })
  assert.deepEqual(await granted(), [])
  await world.add('metrics', { node: world.spare.id, converge_existing: true })
  assert.deepEqual(await granted(), [{ consumer_node_id: world.gateway.id, serving_node_id: world.spare.id }])
})

test('a step that fails on a Node answers 502 with its name and the code of its own [GW-029]', async () => {
  await using world = await startRolesWorld()
  world.services.breakAt('firewall.closePublicSsh', fail('firewall.backend_inactive'))
  const failed = world.add('database')
  const { details } = await refusalOf(failed)
  assert.deepEqual([details['step'], details['error_code']], ['public-ssh', 'firewall.backend_inactive'])
  await assert.rejects(failed, { status: 502 })
})
