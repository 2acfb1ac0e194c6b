import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NodeData, type RoleName, roleNames } from '@fleet/contract'
import { addRole, forEachDialect, refusalOf, type RolesWorld, startRolesWorld } from '@fleet/testing'
import { findRole, putRoleSettings, readRoleSettings } from '#/nodes/api.ts'

const grants = async ({ store }: RolesWorld): Promise<ReadonlyArray<readonly [number, number]>> =>
  (await store.db.selectFrom('node_grants').selectAll().execute()).map(
    (row) => [row.consumer_node_id, row.serving_node_id] as const,
  )

forEachDialect(
  'gateway: target opened, assignment moved, grants given, DNS published, source withdrawn, in this order [ROLE-002, ROLE-018, ROLE-035]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    await addRole(world.store, { node_id: world.spare.id, role: 'metrics' })
    const rolesAtDns: string[][] = []
    const { publish } = world.services.dns
    Object.assign(world.services.dns, {
      publish: async (...given: Parameters<typeof publish>) => {
        rolesAtDns.push(await world.roles())
        return publish(...given)
      },
    })
    const { data } = await world.relocate('gateway')
    assert.deepEqual(data, {
      node_id: world.web.id,
      role: 'gateway',
      from: world.gateway.id,
      relocated: true,
      follow_up: 'Converge the Nodes: until then their agents do not use the new gateway.',
    })
    assert.deepEqual(
      world.services.calls.filter((call) => !/requireConfigured|requireCapable|closePublic/.test(call)),
      [
        'role.gateway.packages web',
        'tunnel.applyResolver web',
        'tunnel.applyResolver gateway',
        'dns.publish',
        'role.gateway.packages gateway',
      ],
    )
    assert.deepEqual(rolesAtDns, [
      ['gateway gateway removing', 'gateway vpn active', 'web gateway active', 'spare metrics active'],
    ])
    assert.deepEqual(await grants(world), [
      [world.web.id, world.gateway.id],
      [world.web.id, world.spare.id],
    ])
    assert.deepEqual(await world.roles(), [
      'gateway vpn active',
      'web gateway active',
      'spare metrics active',
    ])
    assert.deepEqual(
      world.calls[0]?.events.map(({ data: node }) => (node as { name?: unknown }).name), // Events carry Nodes.
      ['web', 'gateway'],
    )
  },
)

test('a resolver that cannot be set shows in the follow-up alone [NODE-132, ROLE-018]', async () => {
  await using world = await startRolesWorld()
  world.services.breakAt('tunnel.applyResolver')
  const { data } = await world.relocate('gateway')
  assert.match(data.follow_up ?? '', /The resolver of a Node could not be configured/)
})

test('roles that stay with their Node are refused [ROLE-034]', async () => {
  await using world = await startRolesWorld()
  const refused: RoleName[] = []
  for (const role of roleNames.filter((name) => name !== 'gateway')) {
    const { code } = await refusalOf(world.relocate(role))
    if (code === 'validation.failed') refused.push(role)
  }
  assert.deepEqual(refused, ['vpn', 'app-dev', 'app-prod', 'database', 'ingress', 'router', 'analytics'])
})

test('a conflicting role of the target refuses the move, whatever force says [ROLE-013, ROLE-038]', async () => {
  await using world = await startRolesWorld()
  await addRole(world.store, { node_id: world.web.id, role: 'app-dev' })
  const refusal = await refusalOf(world.relocate('gateway', { force: true }))
  assert.equal(refusal.code, 'validation.failed')
  assert.equal(refusal.message, 'The roles gateway and app-dev cannot be on the same Node.')
})

test('a role that no Node holds has nowhere to come from', async () => {
  await using world = await startRolesWorld()
  assert.equal((await refusalOf(world.relocate('metrics'))).code, 'node_role.not_found')
})

test('a target that holds the role alone stays as it is', async () => {
  await using world = await startRolesWorld()
  const { data } = await world.relocate('gateway', { node: world.gateway.id })
  assert.deepEqual([data.relocated, data.from, data.follow_up], [false, null, null])
  assert.deepEqual(world.services.calls, [])
})

test('a target that could not be made ready leaves the role where it is, and the identical request moves it', async () => {
  await using world = await startRolesWorld()
  let breaks = true
  const run = async (): Promise<void> => {
    if (breaks) throw new Error('no way in')
  }
  Object.assign(world.services.roles, { convergence: () => [{ name: 'firewall', run }] })
  assert.equal((await refusalOf(world.relocate('gateway'))).code, 'node_role.convergence_failed')
  assert.deepEqual(await world.roles(), [
    'gateway gateway active',
    'gateway vpn active',
    'web gateway failed converge:firewall http.500',
  ])
  breaks = false
  assert.equal((await world.relocate('gateway')).data.relocated, true)
})

forEachDialect(
  'after an incomplete move the role is on the target, and the repeat that the error names completes it [ROLE-037, ROLE-039]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    world.services.breakAt('dns.publish')
    const refusal = await refusalOf(world.relocate('gateway'))
    assert.equal(refusal.code, 'node_role.relocation_incomplete')
    assert.match(
      String(refusal.message),
      new RegExp(`Repeat the request with \`from\` ${world.gateway.id} \\(gateway\\)`),
    )
    assert.deepEqual(refusal.details['from'], { id: world.gateway.id, name: 'gateway' })
    assert.ok((await world.roles()).includes('web gateway active'))
    // The role has moved, whatever becomes of the rest.
    const published = world.calls[0]?.published.map(({ type, data }) => {
      const { name, roles } = data as NodeData // These events carry Nodes.
      return [type, name, roles]
    })
    assert.deepEqual(published, [
      ['node.updated', 'web', ['gateway']],
      ['node.updated', 'gateway', ['vpn']],
    ])
    world.services.clearFaults()
    const missing = await refusalOf(world.relocate('gateway'))
    assert.deepEqual(
      [missing.code, Object.keys(missing.details['errors'] ?? {})],
      ['validation.failed', ['from']],
    )
    assert.equal(
      (await refusalOf(world.relocate('gateway', { from: world.spare.id }))).code,
      'validation.failed',
    )
    const { data } = await world.relocate('gateway', { from: world.gateway.id })
    assert.deepEqual([data.relocated, data.from], [true, world.gateway.id])
    assert.deepEqual(await world.roles(), ['gateway vpn active', 'web gateway active'])
    assert.equal((await world.relocate('gateway', { from: world.gateway.id })).data.relocated, false)
  },
)

test('a from that is not the holder is refused before anything moves [ROLE-037]', async () => {
  await using world = await startRolesWorld()
  const refusal = await refusalOf(world.relocate('gateway', { from: world.spare.id }))
  assert.equal(refusal.code, 'validation.failed')
  assert.deepEqual(world.services.calls, [])
})

/** A role with credentials on `spare`, for moves to `web`. */
async function withCredentials(world: RolesWorld, role: RoleName): Promise<void> {
  const source = await addRole(world.store, { node_id: world.spare.id, role })
  await putRoleSettings(world.store, source, { app_key: 'key', app_secret: 'secret' })
}

for (const role of ['websocket', 'metrics'] as const) {
  forEachDialect(
    `${role}: missing credentials come along, the assignment moves, the target converges, the source is withdrawn [ROLE-036]`,
    async (dialect) => {
      await using world = await startRolesWorld({ dialect })
      await withCredentials(world, role)
      const rolesAtConvergence: string[][] = []
      Object.assign(world.services.roles, {
        convergence: () => [
          { name: 'look', run: async () => void rolesAtConvergence.push(await world.roles()) },
        ],
      })
      const { data } = await world.relocate(role)
      assert.deepEqual([data.from, data.relocated, data.follow_up], [world.spare.id, true, null])
      assert.deepEqual(rolesAtConvergence[0]?.slice(2), [
        `web ${role} provisioning`,
        `spare ${role} removing`,
      ])
      assert.deepEqual((await world.roles()).slice(2), [`web ${role} active`])
      const row = await findRole(world.store.db, world.web.id, role)
      assert.deepEqual(row && readRoleSettings(world.store, row), { app_key: 'key', app_secret: 'secret' })
    },
  )
}

test('credentials that the target has are never overwritten [ROLE-036]', async () => {
  await using world = await startRolesWorld()
  await withCredentials(world, 'websocket')
  const left = await addRole(world.store, {
    node_id: world.web.id,
    role: 'websocket',
    status: 'failed',
    failed_step: 'converge:server',
  })
  await putRoleSettings(world.store, left, { app_secret: 'its own' })
  await world.relocate('websocket')
  const row = await findRole(world.store.db, world.web.id, 'websocket')
  assert.deepEqual(row && readRoleSettings(world.store, row), { app_key: 'key', app_secret: 'its own' })
})

test('a target that failed after the assignment had moved converges with the named from [ROLE-037, ROLE-039]', async () => {
  await using world = await startRolesWorld()
  await withCredentials(world, 'websocket')
  world.services.breakAt('role.websocket.packages')
  const refusal = await refusalOf(world.relocate('websocket'))
  assert.deepEqual(
    [refusal.code, refusal.details['step'], refusal.details['error_code']],
    ['node_role.relocation_incomplete', 'packages', 'http.500'],
  )
  assert.deepEqual((await world.roles()).slice(2), [
    'web websocket failed converge:packages http.500',
    'spare websocket removing',
  ])
  const again = await refusalOf(world.relocate('websocket', { from: world.spare.id }))
  assert.deepEqual(
    [again.code, again.details['from']],
    ['node_role.relocation_incomplete', { id: world.spare.id, name: 'spare' }],
  )
  world.services.clearFaults()
  await world.relocate('websocket', { from: world.spare.id })
  assert.deepEqual((await world.roles()).slice(2), ['web websocket active'])
})

test('metrics that lag behind after the move are a follow-up, not a failure [ROLE-040]', async () => {
  await using world = await startRolesWorld()
  await withCredentials(world, 'metrics')
  world.services.breakAt('exporters.reconcile')
  const { data } = await world.relocate('metrics')
  assert.equal(data.relocated, true)
  assert.equal(data.follow_up, 'Metrics are not up to date on gateway, web; converge these Nodes.')
})

test('services that cannot be managed refuse the move before anything is stored [ROLE-036]', async () => {
  await using world = await startRolesWorld()
  await withCredentials(world, 'websocket')
  const before = await world.roles()
  world.services.breakAt('roles.requireCapable.websocket')
  await assert.rejects(world.relocate('websocket'))
  assert.deepEqual(await world.roles(), before)
})

forEachDialect(
  'the Activity of each change of a role names the role, also when it is refused, and of a move where it came from [ACT-012]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    await world.add('database')
    await assert.rejects(world.add('ingress'))
    await world.remove('database')
    await assert.rejects(world.remove('database'))
    await world.relocate('gateway')
    await assert.rejects(world.relocate('websocket', { from: world.spare.id }))
    assert.deepEqual(
      world.calls.map(({ notes }) => notes.properties),
      [
        { role: 'database' },
        { role: 'ingress' },
        { role: 'database' },
        { role: 'database' },
        { role: 'gateway', from: world.gateway.id },
        { role: 'websocket', from: world.spare.id },
      ],
    )
  },
)
