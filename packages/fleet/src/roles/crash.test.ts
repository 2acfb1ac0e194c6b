import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleName } from '@fleet/contract'
import { addRole, mortalDomains, type RolesWorld, startRolesWorld } from '@fleet/testing'
import { type Moment, momentsOf, type Mortal } from '@fleet/testing/death'
import { closeInterruptedRoles } from '#/roles/interrupted.ts'

type Handlers = RolesWorld['handlers']

interface Work {
  readonly prepare: (world: RolesWorld) => Promise<unknown>
  /** `from` is what the repeat of a move may need. */
  readonly ask: (world: RolesWorld, handlers: Handlers, from?: number) => Promise<unknown>
}

const nothing = async (): Promise<void> => undefined
const callOf = (world: RolesWorld) => {
  const [first] = world.calls
  assert.ok(first, 'no call was made yet')
  return first
}

const adding =
  (role: RoleName): Work['ask'] =>
  (world, handlers) =>
    handlers['node:role:add']({ call: callOf(world), input: { node: world.web.id, role } })
const removing =
  (role: RoleName): Work['ask'] =>
  (world, handlers) =>
    handlers['node:role:remove']({ call: callOf(world), input: { node: world.web.id, role } })
const moving =
  (role: RoleName): Work['ask'] =>
  (world, handlers, from) =>
    handlers['node:role:relocate']({
      call: callOf(world),
      input: { node: world.web.id, role, ...(from === undefined ? {} : { from }) },
    })

const WORKS: Readonly<Record<string, Work>> = {
  'adding a first role': { prepare: nothing, ask: adding('database') },
  'adding a second role': { prepare: (world) => world.add('database'), ask: adding('app-dev') },
  'removing one of two roles': {
    prepare: async (world) => [await world.add('database'), await world.add('app-dev')],
    ask: removing('app-dev'),
  },
  'removing the last role': { prepare: (world) => world.add('database'), ask: removing('database') },
  'relocating the gateway': { prepare: nothing, ask: moving('gateway') },
  'relocating the websocket': {
    prepare: (world) => addRole(world.store, { node_id: world.spare.id, role: 'websocket' }),
    ask: moving('websocket'),
  },
}

/** A world at the moment before the work, with a call to make it by. */
async function worldBefore(work: Work): Promise<RolesWorld> {
  const world = await startRolesWorld()
  await world.add('metrics', { node: world.spare.id })
  await work.prepare(world)
  world.services.calls.length = 0
  return world
}

/** Everything the work is about, without ids of rows and times. */
const stateOf = async ({ services, store, roles }: RolesWorld): Promise<unknown> => ({
  ...services.world,
  assignments: (await roles()).toSorted(),
  grants: (await store.db.selectFrom('node_grants').selectAll().execute()).map((row) => [
    row.consumer_node_id,
    row.serving_node_id,
  ]),
})

/** The identical request, or with the `from` that a half move asks for; names of it stand in the records. */
async function repeat(work: Work, world: RolesWorld): Promise<void> {
  const moved = (await world.roles()).some((row) => /removing|remove:/.test(row))
  const source = moved ? [world.gateway.id, world.spare.id] : []
  for (const from of [undefined, ...source]) {
    try {
      return void (await work.ask(world, world.handlers, from))
    } catch (error) {
      const { code } = error as { code?: unknown } // The handlers throw coded errors.
      if (code === 'node_role.not_found') return
      if (code !== 'validation.failed') throw error
    }
  }
  assert.fail('no repeat finished')
}

/** The work in a process that dies at the moment; without one it lives. */
async function workOf(work: Work, world: RolesWorld, moment?: Moment): Promise<Mortal> {
  const { store, clock, ssh, services } = world
  const { mortal, domains } = mortalDomains({ store, clock, ssh }, moment, { nodeServices: services })
  const alive = services.around
  services.around = (deed) => mortal.around(deed)
  // A death in what fails no move is not seen by its caller.
  await work.ask(world, domains.roleHandlers).catch((error: unknown) => {
    if (!moment) throw error
  })
  services.around = alive
  return mortal
}

for (const [name, work] of Object.entries(WORKS)) {
  test(`${name}: wherever the gateway dies, the restarted one finishes the identical request [ROLE-022, ROLE-023, ROLE-037]`, async () => {
    await using undisturbed = await worldBefore(work)
    const moments = momentsOf(await workOf(work, undisturbed))
    const expected = await stateOf(undisturbed)
    assert.ok(moments.length > 0, 'it does something')
    for (const moment of moments) {
      await using world = await worldBefore(work)
      await workOf(work, world, moment)
      await closeInterruptedRoles(world.store)
      await repeat(work, world)
      assert.deepEqual(await stateOf(world), expected, `dead at ${JSON.stringify(moment)}`)
    }
  })

  test(`${name}: wherever a machine fails, before or after, the record names step and code and the identical request finishes [ROLE-021, ROLE-026, ROLE-027]`, async () => {
    await using undisturbed = await worldBefore(work)
    await work.ask(undisturbed, undisturbed.handlers)
    const expected = await stateOf(undisturbed)
    const deeds = new Set(undisturbed.services.calls.map((call) => call.split(' ')[0] ?? call))
    for (const deed of deeds) {
      for (const when of ['before', 'after'] as const) {
        await using world = await worldBefore(work)
        const before = await world.roles()
        world.services.breakAt(deed, new Error('broken'), when)
        const failed = await work.ask(world, world.handlers).then(
          () => false,
          () => true,
        )
        const left = (await world.roles()).filter((row) => row.includes('failed'))
        const isRecorded = left.some((row) => /failed (?:converge|remove):\S+ \S+$/.test(row))
        const isUntouched = JSON.stringify(await world.roles()) === JSON.stringify(before)
        assert.ok(!failed || isRecorded || isUntouched, `${deed} ${when}: ${left.join()}`)
        world.services.clearFaults()
        if (failed) await repeat(work, world)
        const excused = failed ? { exporters: 0 } : { exporters: 0, managedDns: 0 } // These never fail a role or a move.
        const after = { ...((await stateOf(world)) as object), ...excused } // It is an object literal there.
        assert.deepEqual(after, { ...(expected as object), ...excused }, `${deed} ${when}`) // The same holds.
      }
    }
  })
}
