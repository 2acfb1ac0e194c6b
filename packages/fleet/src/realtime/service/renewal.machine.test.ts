import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, type Details } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import { type LeafSource, renewalKinds } from '#/certificates/api.ts'
import { lockOf } from '#/locks/api.ts'
import { roleLockName } from '#/nodes/api.ts'
import { CERTIFICATE, startWorld, type World } from '#/realtime/service/world.test.ts'

const DAY = 86_400_000

/** One hour's check, then each renewal that is due, what became of it by scope, and half a minute later what loads them. */
const renewing = (world: World, sources: readonly LeafSource[]) => {
  const { store, nodes } = world.fleet
  const sessions = { overTunnel: () => world.session, overPublicSsh: () => world.session }
  const { certificates, clock } = world
  const deps = { store, clock, nodes: { ...nodes.nodes, sessions }, certificates, sources }
  const [check, renew, load] = renewalKinds(deps)
  assert.ok(check && renew && load)
  return async (): Promise<readonly string[]> => {
    const call = fakeCall()
    const failed: string[] = []
    const log = (_message: string, { scope, code }: Details = {}) => void failed.push(`${scope} ${code}`)
    await check.run({ ...call, log }, null)
    const ended: string[] = []
    for (;;) {
      const piece = await store.work.claim({ kinds: [renew.name], leaseSeconds: 60 })
      if (!piece) break
      using held = piece
      const { scope } = held.payload as { readonly scope: string } // The check has added it.
      const outcome = await renew.run(fakeCall(), held.payload).then(() => 'done', codeOf)
      ended.push(`${scope} ${outcome}`)
      await store.transaction((db) => held.done(db))
    }
    const dueAt = await store.work.nextDueAt([load.name])
    if (dueAt) assert.equal(dueAt.getTime() - clock.now().getTime(), 30_000)
    for (;;) {
      const piece = await store.work.claim({ kinds: [load.name], leaseSeconds: 60 })
      if (!piece) return [...failed, ...ended]
      using held = piece
      await load.run(fakeCall(), held.payload)
      await store.transaction((db) => held.done(db))
    }
  }
}

const codeOf = (error: unknown): string => (error instanceof CodedError ? error.code : 'not a code')

test('the certificate of the server is renewed when a sixth of its time is left, and the server is notified [RTX-100]', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  const renew = renewing(world, [world.service.leaves])
  const first = world.read(CERTIFICATE)
  assert.deepEqual(await renew(), [])
  world.clock.advance(74 * DAY)
  assert.deepEqual(await renew(), [])
  assert.deepEqual([world.read(CERTIFICATE), world.systemd.reloads()], [first, []])
  world.clock.advance(DAY)
  assert.deepEqual(await renew(), ['websocket done'])
  assert.notEqual(world.read(CERTIFICATE), first)
  assert.deepEqual(world.systemd.reloads(), ['fleet-websocket.service'])
  assert.deepEqual(await renew(), [])
})

test('certificates of one Node that are due together are loaded by one reload', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  const [own] = await world.service.leaves.leaves()
  assert.ok(own)
  const others = ['one', 'other', 'third'].map((scope) => {
    const { place: _, ...leaf } = own.leaf
    return { ...own, lock: lockOf('firewall', own.nodeId), leaf: { ...leaf, scope } }
  })
  const renew = renewing(world, [{ leaves: async () => others }, world.service.leaves])
  world.clock.advance(76 * DAY)
  assert.deepEqual((await renew()).toSorted(), ['one done', 'other done', 'third done', 'websocket done'])
  assert.deepEqual(world.systemd.reloads(), ['fleet-websocket.service'])
  assert.deepEqual(await renew(), [])
})

test('a Node that fails keeps no other from its certificate and is tried again', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  const [own] = await world.service.leaves.leaves()
  assert.ok(own)
  const foreign = {
    ...own,
    lock: lockOf('firewall', own.nodeId),
    leaf: { ...own.leaf, scope: 'other', owner: 'surely-nobody' },
  }
  const sources = [{ leaves: async () => [foreign] }, world.service.leaves]
  const renew = renewing(world, sources)
  world.clock.advance(76 * DAY)
  const failed = 'other certificate.owner_missing'
  assert.deepEqual(await renew(), [failed, 'websocket done'])
  assert.deepEqual(await renew(), [failed])
})

test('a Node whose roles somebody changes is left alone, and so is one that has lost the role', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  world.clock.advance(76 * DAY)
  const { store } = world.fleet
  const renew = renewing(world, [world.service.leaves])
  {
    await using _held = await store.locks.acquire({
      name: roleLockName(world.nodeId),
      operation: 'node:role:remove',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 600,
    })
    assert.deepEqual(await renew(), ['websocket node_role.node_busy'])
  }
  const commands = world.pool.commands.length
  let asked = 0
  // The role goes between the check or the look at the records and the lock.
  for (const looks of [1, 2]) {
    asked = 0
    const leaving = { leaves: async () => ((asked += 1) <= looks ? world.service.leaves.leaves() : []) }
    assert.deepEqual(await renewing(world, [leaving])(), ['websocket done'])
  }
  // Each check looks once, and nothing is written.
  assert.equal(world.pool.commands.length, commands + 2)
})
