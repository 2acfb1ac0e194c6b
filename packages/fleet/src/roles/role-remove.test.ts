import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProject, addRole, excludeNode, forEachDialect, refusalOf, startRolesWorld } from '@fleet/testing'

forEachDialect(
  'the last role opens public SSH before anything else and gives the machine its own DNS back [ROLE-017, ROLE-025, NODE-129]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    await world.add('database')
    world.services.calls.length = 0
    const { data } = await world.remove('database')
    assert.deepEqual(data, { node_id: world.web.id, role: 'database', removed: true, follow_up: null })
    assert.deepEqual(world.services.calls, [
      'tunnel.requireConfigured',
      'firewall.openPublicSsh web',
      'dns.publish',
      'role.database.packages web',
      'tunnel.applyResolver web',
      'exporters.withdraw web',
    ])
    assert.deepEqual(await world.roles(), ['gateway gateway active', 'gateway vpn active'])
    assert.equal(world.calls[1]?.events[0]?.type, 'node.updated')
  },
)

test('one of two roles leaves SSH, resolver and exporters alone [ROLE-025]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  await world.add('app-dev')
  world.services.calls.length = 0
  await world.remove('database')
  assert.deepEqual(world.services.calls, [
    'tunnel.requireConfigured',
    'dns.publish',
    'role.database.packages web',
  ])
})

test('without the recovery rule nothing is taken away, and the record says where it stopped [ROLE-025, ROLE-027]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  world.services.breakAt('firewall.openPublicSsh')
  const refusal = await refusalOf(world.remove('database'))
  assert.equal(refusal.code, 'node_role.remove_failed')
  assert.deepEqual(
    [refusal.details['step'], refusal.details['error_code']],
    ['firewall-recovery', 'node.firewall_recovery_failed'],
  )
  assert.ok(
    (await world.roles()).includes(
      'web database failed remove:firewall-recovery node.firewall_recovery_failed',
    ),
  )
  assert.ok(world.services.world.roles.has('web database'))
  world.services.clearFaults()
  assert.equal((await world.remove('database')).data.removed, true)
})

test('a failed removal step stands on the assignment, and the identical request finishes [ROLE-021, ROLE-027]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  world.services.breakAt('role.database.packages')
  const refusal = await refusalOf(world.remove('database'))
  assert.deepEqual([refusal.code, refusal.details['step']], ['node_role.remove_failed', 'packages'])
  assert.ok((await world.roles()).includes('web database failed remove:packages http.500'))
  world.services.clearFaults()
  await world.remove('database')
  assert.equal((await refusalOf(world.remove('database'))).code, 'node_role.not_found')
})

test('vpn and router are not removed here, and the only gateway nowhere [ROLE-003, ROLE-009, ROLE-017]', async () => {
  await using world = await startRolesWorld()
  await addRole(world.store, { node_id: world.web.id, role: 'router' })
  const codes = [
    (await refusalOf(world.remove('vpn', { node: world.gateway.id }))).code,
    (await refusalOf(world.remove('router'))).code,
    (await refusalOf(world.remove('gateway', { node: world.gateway.id }))).code,
  ]
  assert.deepEqual(codes, ['validation.failed', 'validation.failed', 'node_role.in_use'])
  assert.deepEqual(world.services.calls, [])
})

const IN_USE = [
  ['app-dev', { instances: 1 }],
  ['app-dev', { openTransfers: 1 }],
  ['app-prod', { routes: 1 }],
  ['ingress', { dependentRoutes: 1 }],
] as const

for (const [role, owns] of IN_USE) {
  test(`${role} stays while ${Object.keys(owns).join()} need it, with and without the machine [ROLE-029]`, async () => {
    await using world = await startRolesWorld()
    await addRole(world.store, { node_id: world.web.id, role })
    Object.assign(world.services.owns, owns)
    for (const offline of [false, true]) {
      const refusal = await refusalOf(world.remove(role, { offline }))
      assert.deepEqual([refusal.code, refusal.details['role']], ['node_role.in_use', role])
    }
    assert.deepEqual(world.services.calls, [])
    assert.ok((await world.roles()).includes(`web ${role} active`))
  })
}

test('public Routes that need the ingress are named as the reason [ROLE-029]', async () => {
  await using world = await startRolesWorld()
  await addRole(world.store, { node_id: world.web.id, role: 'ingress' })
  world.services.owns.dependentRoutes = 2
  const { details, message } = await refusalOf(world.remove('ingress'))
  assert.deepEqual(details, {
    role: 'ingress',
    reason: 'public_routes_attached',
    routes: ['shop-1.example', 'shop-2.example'],
  })
  assert.match(String(message), /: `fleet route:update shop-1\.example --publication private`\.$/)
})

test('database keeps its Processes, so they stand against nothing [ROLE-007]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  Object.assign(world.services.owns, { processes: 3, instances: 1 })
  assert.equal((await world.remove('database')).data.removed, true)
})

for (const status of ['provisioning', 'removing'] as const) {
  test(`a role with a fresh claim ${status} is not removed, an old one is [ROLE-022, ROLE-029]`, async () => {
    await using world = await startRolesWorld()
    const claimed_at = world.clock.now().toISOString()
    await addRole(world.store, { node_id: world.web.id, role: 'database', status, claimed_at })
    for (const offline of [false, true]) {
      const { code } = await refusalOf(world.remove('database', { offline }))
      assert.equal(code, status === 'removing' ? 'node_role.removing' : 'node_role.converging')
    }
    world.clock.advance(660_000)
    assert.equal((await world.remove('database')).data.removed, true)
  })
}

test('offline removal takes the record, touches no machine and says what stays there [ROLE-031]', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  world.services.calls.length = 0
  world.services.breakAt('tunnel.requireConfigured')
  const { data } = await world.remove('database', { offline: true })
  assert.equal(
    data.follow_up,
    'Everything that the role database installed is still on the machine. Its public SSH stays closed.',
  )
  assert.deepEqual(world.services.calls, ['dns.publish'])
  assert.deepEqual(await world.roles(), ['gateway gateway active', 'gateway vpn active'])
})

test('offline removal does not fail where the private DNS cannot be updated', async () => {
  await using world = await startRolesWorld()
  await world.add('database')
  await world.add('app-dev')
  world.services.breakAt('dns.publish')
  const { data } = await world.remove('database', { offline: true })
  assert.equal(
    data.follow_up,
    'Everything that the role database installed is still on the machine. The private DNS still returns its address; converge the vpn Node with `--force`.',
  )
})

for (const offline of [false, true]) {
  forEachDialect(
    `exclusions of a Node go with its app-dev role, offline ${offline} [NODE-119]`,
    async (dialect) => {
      await using world = await startRolesWorld({ dialect })
      await world.add('app-dev')
      await world.add('database')
      const project = await addProject(world.store)
      await excludeNode(world.store, project, world.web)
      await excludeNode(world.store, project, world.spare)
      const excluded = async (): Promise<number[]> =>
        (await world.store.db.selectFrom('node_exclusions').select('node_id').execute()).map(
          (row) => row.node_id,
        )
      await world.remove('database', { offline })
      assert.equal((await excluded()).length, 2)
      await world.remove('app-dev', { offline })
      assert.deepEqual(await excluded(), [world.spare.id])
    },
  )
}

test('the flag to delete data reaches the services of the role', async () => {
  await using world = await startRolesWorld()
  const asked: unknown[] = []
  Object.assign(world.services.roles, {
    removal: (role: string, options: unknown) => {
      asked.push([role, options])
      return []
    },
  })
  for (const purge_data of [undefined, true]) {
    await world.add('database')
    await world.remove('database', purge_data === undefined ? {} : { purge_data })
  }
  assert.deepEqual(asked, [
    ['database', { purgeData: false }],
    ['database', { purgeData: true }],
  ])
})
