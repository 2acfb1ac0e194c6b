import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, nextTurn } from '@fleet/kernel'
import type { HeldLock, LockRequest, Store } from '@fleet/store'
import {
  addRole,
  fakeCall,
  FakeClock,
  fakeLock,
  refusalOf,
  type RolesWorld,
  startRolesWorld,
} from '@fleet/testing'
import { closeInterruptedRoles } from '#/roles/interrupted.ts'
import { roleLockName } from '#/nodes/api.ts'

const holdRoles = ({ store }: RolesWorld, nodeId: number): Promise<HeldLock> =>
  store.locks.acquire({
    name: roleLockName(nodeId),
    operation: 'node:role:add',
    requestId: 'request-1',
    waitMilliseconds: 0,
    leaseSeconds: 600,
  })

/** Lets time go by in steps of a second until the work is done; the seconds it took. */
async function secondsOf(world: RolesWorld, work: Promise<unknown>): Promise<number> {
  const state = { done: false }
  const ended = work.finally(() => (state.done = true)).catch(() => undefined)
  let seconds = 0
  while (!state.done) {
    for (let turn = 0; turn < 5; turn += 1) await world.store.locks.holderOf('nothing')
    await nextTurn()
    if (state.done) break
    seconds += 1
    world.clock.advance(1000)
  }
  await ended
  return seconds
}

const ASKED = {
  'node:role:add': (world) => world.add('database'),
  'node:role:remove': (world) => world.remove('app-dev'),
  'node:converge': (world) => world.converge(),
  'node:role:relocate': (world) => world.relocate('gateway', { node: world.spare.id }),
} as const satisfies Record<string, (world: RolesWorld) => Promise<unknown>>

for (const [operation, ask] of Object.entries(ASKED)) {
  test(`${operation} waits two minutes for other work on the roles of the Node, then says who is at it [ROLE-028, NODE-124, GW-039]`, async () => {
    await using world = await startRolesWorld()
    await addRole(world.store, { node_id: world.web.id })
    await using _ = await holdRoles(world, operation.endsWith('relocate') ? world.spare.id : world.web.id)
    const asked = refusalOf(ask(world))
    assert.equal(await secondsOf(world, asked), 120)
    const { code, details } = await asked
    assert.equal(code, 'node_role.node_busy')
    assert.equal(details['error_code'], 'node_role.node_busy')
    assert.equal((details['holder'] as { operation?: unknown }).operation, 'node:role:add') // The holder of the lock above.
    assert.ok((await world.roles()).includes('web app-dev active'))
  })
}

test('the work continues as soon as the lock is free', async () => {
  await using world = await startRolesWorld()
  const held = await holdRoles(world, world.web.id)
  const asked = world.add('database')
  await nextTurn()
  await held[Symbol.asyncDispose]()
  assert.equal((await asked).data.status, 'active')
})

test('the wait is no longer than the rest of the request, and the lock lasts ten minutes [ROLE-028]', async () => {
  const requests: LockRequest[] = []
  const through = (store: Store): Store => ({
    ...store,
    locks: {
      ...store.locks,
      acquire: (request) => {
        requests.push(request)
        return store.locks.acquire(request)
      },
    },
  })
  await using world = await startRolesWorld({ through })
  const call = fakeCall({ deadline: new Deadline(new FakeClock(), 50, 20) })
  await world.handlers['node:role:add']({ call, input: { node: world.web.id, role: 'database' } })
  assert.deepEqual(
    requests.map(({ name, waitMilliseconds, leaseSeconds }) => [name, waitMilliseconds, leaseSeconds]),
    [[`node:${world.web.id}:roles`, 30_000, 600]],
  )
})

test('offline removal waits for nobody [ROLE-031]', async () => {
  await using world = await startRolesWorld()
  await addRole(world.store, { node_id: world.web.id, role: 'database' })
  await using _ = await holdRoles(world, world.web.id)
  assert.equal((await world.remove('database', { offline: true })).data.removed, true)
})

test('a lost lock stops the work before its next command and leaves the record to whoever has it [ROLE-028]', async () => {
  let held = true
  const through = (store: Store): Store => ({
    ...store,
    locks: { ...store.locks, acquire: async (request) => fakeLock(request, () => held) },
  })
  await using world = await startRolesWorld({ through })
  let commands = 0
  Object.assign(world.services.roles, {
    convergence: () => [
      {
        name: 'slow',
        run: async (session: { asRoot(command: unknown): Promise<unknown> }) => {
          held = false
          await world.store.db
            .updateTable('node_roles')
            .set({ claimed_at: 'another' })
            .where('role', '=', 'database')
            .execute()
          await session.asRoot({ line: 'true', shown: 'true' })
          commands += 1
        },
      },
    ],
  })
  const { code } = await refusalOf(world.add('database'))
  assert.deepEqual([code, commands], ['node.lock_lost', 0])
  assert.ok((await world.roles()).includes('web database provisioning'))
})

test('a restarted gateway ends the claims that nobody holds any more, and no others [ROLE-022]', async () => {
  await using world = await startRolesWorld()
  const claimed_at = world.clock.now().toISOString()
  const claim = { status: 'provisioning', claimed_at } as const
  await addRole(world.store, { ...claim, node_id: world.web.id, role: 'database' })
  await addRole(world.store, { ...claim, node_id: world.web.id, role: 'metrics', status: 'removing' })
  await addRole(world.store, { ...claim, node_id: world.web.id, role: 'router' })
  await addRole(world.store, { ...claim, node_id: world.spare.id, role: 'app-dev' })
  await using _ = await holdRoles(world, world.spare.id)
  assert.equal(await closeInterruptedRoles(world.store), 2)
  assert.deepEqual((await world.roles()).slice(2), [
    'web database failed converge:interrupted activity.interrupted',
    'web metrics failed remove:interrupted activity.interrupted',
    'web router provisioning',
    'spare app-dev provisioning',
  ])
  assert.equal((await world.add('database')).data.status, 'active')
})
