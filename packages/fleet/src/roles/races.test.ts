// Two requests for roles at one moment: what the first stored decides, however far the second had come.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addRole,
  fakeCall,
  forEachDialect,
  refusalOf,
  startEnrolmentFleet,
  startRolesWorld,
} from '@fleet/testing'

interface Refusal {
  readonly code?: string
}

const codesOf = (settled: readonly PromiseSettledResult<unknown>[]): readonly string[] =>
  settled.map((each) => (each.status === 'fulfilled' ? 'done' : ((each.reason as Refusal).code ?? 'no code'))) // The handlers throw coded errors.

forEachDialect(
  'of two Nodes that are given one role at once, which only one Node can have, one has it [ROLE-001, ROLE-010, ROLE-013]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    const settled = await Promise.allSettled([
      world.add('websocket'),
      world.add('websocket', { node: world.spare.id }),
    ])
    assert.deepEqual(codesOf(settled).toSorted(), ['done', 'node.role_conflict'])
    assert.equal((await world.roles()).filter((role) => role.includes('websocket')).length, 1)
  },
)

forEachDialect(
  'a Node that is enrolled with a role while another gets one that cannot be beside it keeps the first alone [ROLE-004, ROLE-013]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    await fleet.enroll({ tld: 'one' })
    const { id } = (await fleet.row()) ?? assert.fail()
    const { join } = fleet.services.tunnel
    Object.assign(fleet.services.tunnel, {
      join: async (...given: Parameters<typeof join>) => {
        const joined = await join(...given)
        const call = fakeCall({ operation: 'node:role:add' })
        await fleet.nodes.handlers['node:role:add']({ call, input: { node: id, role: 'app-prod' } })
        return joined
      },
    })
    const { code, details, message } = await refusalOf(fleet.enroll({ roles: ['app-dev'] }))
    assert.deepEqual([code, details['step']], ['node.role_conflict', 'role:app-dev'])
    assert.match(String(message), /app-dev and app-prod/)
    const rows = await fleet.store.db.selectFrom('node_roles').selectAll().where('node_id', '=', id).execute()
    assert.deepEqual(
      rows.map(({ role, status }) => `${role} ${status}`),
      ['app-prod active'],
    )
  },
)

test('a role that went to a third Node while a relocation waited is moved from there [ROLE-034, ROLE-037]', async () => {
  await using world = await startRolesWorld()
  await addRole(world.store, { node_id: world.gateway.id, role: 'websocket' })
  const [first, second] = await Promise.all([
    world.relocate('websocket'),
    world.relocate('websocket', { node: world.spare.id }),
  ])
  assert.deepEqual([first.data.from, first.data.relocated], [world.gateway.id, true])
  assert.deepEqual([second.data.from, second.data.relocated], [world.web.id, true])
  assert.deepEqual(
    (await world.roles()).filter((role) => role.includes('websocket')),
    ['spare websocket active'],
  )
})

test('a role that conflicts and was added while a relocation waited refuses it [ROLE-013, ROLE-038]', async () => {
  await using world = await startRolesWorld()
  const { requireCapable } = world.services.roles
  Object.assign(world.services.roles, {
    requireCapable: async (...given: Parameters<typeof requireCapable>) => {
      await addRole(world.store, { node_id: world.spare.id, role: 'app-dev' })
      await requireCapable(...given)
    },
  })
  const { code } = await refusalOf(world.relocate('gateway', { node: world.spare.id }))
  assert.equal(code, 'validation.failed')
  assert.ok((await world.roles()).includes('gateway gateway active'))
})

test('an enrolment that fails leaves a role alone that somebody is removing meanwhile [NODE-022]', async () => {
  await using fleet = await startEnrolmentFleet()
  await fleet.addHub()
  await fleet.enroll({ roles: ['app-dev', 'websocket'], tld: 'one' })
  const { id } = (await fleet.row()) ?? assert.fail()
  let removal: Promise<unknown> | undefined
  const begun = Promise.withResolvers<void>()
  Object.assign(fleet.services.roles, {
    removal: () => [{ name: 'php', run: async () => begun.resolve() }],
  })
  const { publish } = fleet.services.dns
  Object.assign(fleet.services.dns, {
    publish: async (...given: Parameters<typeof publish>) => {
      if (removal) return publish(...given)
      const call = fakeCall({ operation: 'node:role:remove' })
      removal = fleet.nodes.handlers['node:role:remove']({ call, input: { node: id, role: 'app-dev' } })
      await begun.promise
      throw new Error('dns is broken')
    },
  })
  await assert.rejects(fleet.enroll({ roles: ['app-dev'] }))
  await removal
  const rows = await fleet.store.db.selectFrom('node_roles').selectAll().where('node_id', '=', id).execute()
  assert.deepEqual(
    rows.map(({ role, status }) => `${role} ${status}`),
    ['websocket active'],
  )
})
