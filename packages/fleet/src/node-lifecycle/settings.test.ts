import assert from 'node:assert/strict'
import { statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { HeldLock, LockRequest, Store } from '@fleet/store'
import {
  addInstance,
  addNode,
  addProject,
  fakeCall,
  FakeClock,
  fakeLock,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'
import { makeSettings } from '#/node-lifecycle/settings.ts'
import { makeSessions } from '#/nodes/api.ts'

const set = (fleet: NodesFleet, node: number, settings: unknown) =>
  fleet.nodes.handlers['node:settings']({ call: fakeCall(), input: { node, settings } })

const setPath = (fleet: NodesFleet, node: number, path: string | null) => set(fleet, node, { apps: { path } })

const storedPath = async (fleet: NodesFleet, node: number) => (await fleet.nodes.nodes.find(node))?.apps_path

forEachDialect(
  'a path is made on the Node, stored and shown; the same again changes nothing [NODE-030, NODE-103, NODE-109]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, { user_home: fleet.home })
    const path = join(fleet.home, 'work/apps')
    const first = await setPath(fleet, node.id, path)
    assert.deepEqual(first.data.settings, { apps: { path } })
    assert.equal(statSync(path).mode & 0o777, 0o755)
    assert.deepEqual((await setPath(fleet, node.id, path)).data, first.data)
    assert.equal(await storedPath(fleet, node.id), path)
    assert.equal(fleet.pool.executed.length, 2)
  },
)

forEachDialect(
  'null clears the path at both levels and asks no Node [NODE-015, NODE-103]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    for (const settings of [{ apps: null }, { apps: { path: null } }]) {
      const node = await addNode(fleet.store, { apps_path: '/data/apps', status: 'failed' })
      assert.equal((await set(fleet, node.id, settings)).data.settings, null)
      assert.equal(await storedPath(fleet, node.id), null)
    }
    assert.deepEqual(fleet.pool.commands, [])
  },
)

forEachDialect(
  'each broken rule has its code and reaches no Node [NODE-106, NODE-107, NODE-108, NODE-111]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, { user_home: fleet.home, apps_path: '/data/old' })
    const project = await addProject(fleet.store)
    await addInstance(fleet.store, { project_id: project.id, node_id: node.id, checkout_path: '/data/shop' })
    const cases = [
      [{ apps: { path: 7 } }, 'node.settings_invalid'],
      [{ apps: { path: 'data' } }, 'node.settings_path_invalid'],
      [{ apps: { path: '/etc/apps' } }, 'node.settings_path_protected'],
      [{ apps: { path: '/srv/gateway/apps' } }, 'node.settings_path_protected'],
      [{ apps: { path: '/data/shop/sub' } }, 'node.settings_path_managed'],
    ] as const
    for (const [settings, code] of cases)
      await assert.rejects(set(fleet, node.id, settings), { code, status: 422 })
    assert.deepEqual(fleet.pool.commands, [])
    assert.equal(await storedPath(fleet, node.id), '/data/old')
  },
)

forEachDialect(
  'what the Node refuses is reported with its reason and not stored [NODE-109, NODE-110, NODE-111]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, { name: 'web-1', user_home: fleet.home, roles: ['ingress'] })
    symlinkSync(fleet.home, join(fleet.home, 'link'))
    const cases = [
      ['missing', 'missing'],
      ['link', 'symbolic_link'],
    ] as const
    for (const [name, reason] of cases) {
      await assert.rejects(setPath(fleet, node.id, join(fleet.home, name)), {
        code: 'node.settings_root_failed',
        status: 502,
        details: { node: { id: node.id, name: 'web-1' }, reason },
      })
    }
    assert.equal(await storedPath(fleet, node.id), null)
  },
)

forEachDialect('a Node that is not active, unreachable or unknown is refused [NODE-024]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const failed = await addNode(fleet.store, { status: 'failed' })
  await assert.rejects(setPath(fleet, failed.id, '/data/apps'), { code: 'node.not_active' })
  await assert.rejects(setPath(fleet, 99, '/data/apps'), { code: 'node.not_found' })
  const node = await addNode(fleet.store)
  fleet.pool.failBefore(() => true)
  await assert.rejects(setPath(fleet, node.id, '/data/apps'), { code: 'node.unreachable' })
  assert.equal(await storedPath(fleet, node.id), null)
})

forEachDialect('settings wait for no other operation on the Node name [NODE-111]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const node = await addNode(fleet.store)
  await using _held = await fleet.store.locks.acquire({
    name: `node-name:${node.name}`,
    operation: 'node:add',
    requestId: '00000000-0000-4000-8000-000000000001',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })
  await assert.rejects(setPath(fleet, node.id, null), { code: 'node.provisioning_busy', status: 409 })
})

forEachDialect('a lock lost while the Node was asked stops the write [NODE-111]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const node = await addNode(fleet.store, { user_home: fleet.home })
  const clock = new FakeClock()
  const store: Store = {
    ...fleet.store,
    locks: { ...fleet.store.locks, acquire: async (request) => lostAfter(clock, request) },
  }
  const sessions = makeSessions({
    ...fleet.pool,
    run: async (...words) => {
      clock.advance(1)
      return fleet.pool.run(...words)
    },
  })
  const placements = { pathsOn: async () => [], developmentCounts: async () => new Map<number, number>() }
  const settings = makeSettings({ store, sessions, placements, protectedPaths: [] })
  const input = { node: node.id, settings: { apps: { path: join(fleet.home, 'apps') } } }
  await assert.rejects(settings({ call: fakeCall(), input }), { code: 'node.lock_lost' })
  assert.equal(await storedPath(fleet, node.id), null)
})

const lostAfter = (clock: FakeClock, request: LockRequest): HeldLock => {
  const end = clock.ticks() + 1
  return fakeLock(request, () => clock.ticks() < end)
}
