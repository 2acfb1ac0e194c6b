import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { transfer, twoNodes } from '#/routes/move-world.test.ts'
import {
  admin,
  ADMIN,
  BLOG,
  CODE,
  failing,
  machineOf,
  monorepo,
  storedOf,
} from '#/routes/web-root/world.test.ts'
import { createFor, startWorld, update, type World } from '#/routes/world.test.ts'

/** A change that stopped before its commit, and whose traces could not be undone. */
async function interrupt(world: World, route: number, web_root: string): Promise<void> {
  failing(world, 'site')
  await assert.rejects(update(world, route, { web_root }), { code: CODE })
  world.broken.clear()
  assert.equal((await storedOf(world, route))?.change?.web_root, web_root)
}

const rename = (world: World, instance: number, domain: string) =>
  world.instances.handlers['instance:rename']({ call: fakeCall(), input: { instance, domain } })

test('an Instance gets another domain after an interrupted change of its web root, and nothing of the change stays', async () => {
  await using world = await startWorld()
  const { instance, route } = await monorepo(world, null)
  await interrupt(world, route, BLOG)
  const { data } = await rename(world, instance, 'next.example')
  const next = data.route?.id ?? 0
  assert.deepEqual(await storedOf(world, next), {
    root: null,
    change: null,
    php: '8.2',
    failure: ['active', null, null],
  })
  const { sites, leaves, pools, names } = machineOf(world)
  const leaf = `app-instance-${instance}`
  assert.deepEqual(
    [Object.keys(sites), leaves, names],
    [['next.example'], { [leaf]: 'next.example' }, ['next.example']],
  )
  assert.deepEqual(pools, [`orbit-${leaf}`])
  assert.deepEqual([...world.machine.opened.values()], [['web']])
  assert.equal((await update(world, next, { web_root: BLOG })).data.web_root, BLOG)
})

test('an Instance moves after an interrupted change of a web root: the Node that it leaves keeps nothing of it, and the request is finished where it went', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { data: further } = await createFor(world, data.id, { web_root: ADMIN })
  await interrupt(world, further.id, BLOG)
  await transfer(world, { instance: data.id, node_id: other.id })
  const left = machineOf(world)
  assert.deepEqual([left.sites, left.leaves, left.pools], [{}, {}, []])
  const there = world.machines.get(other.id)
  assert.ok(there)
  assert.equal((await update(world, further.id, { web_root: BLOG })).data.web_root, BLOG)
  assert.equal(await storedOf(world, further.id).then((stored) => stored?.change), null)
  assert.deepEqual([...there.opened.values()].at(-1), [BLOG, 'public'])
  assert.equal(there.pools.size, 2)
  assert.match(there.sites.get('admin.example') ?? '', /apps\/blog\/public/)
})

test('a directory without PHP takes over from one that runs it, and gives it back: what is recorded belongs to its directory', async () => {
  await using world = await startWorld()
  const { route } = await admin(world)
  const php = async () => (await storedOf(world, route))?.php
  const asked: unknown[] = []
  world.deps.php.versionFor = async (_session, { directory, recorded }) => {
    asked.push([directory, recorded])
    return directory === 'apps/blog' ? null : '8.2'
  }
  await update(world, route, { web_root: BLOG })
  assert.equal(await php(), null)
  await update(world, route, { web_root: ADMIN })
  assert.equal(await php(), '8.2')
  await update(world, route, { web_root: 'apps/admin' })
  assert.deepEqual(asked, [
    ['apps/blog', undefined],
    ['apps/admin', undefined],
    ['apps/admin', '8.2'],
  ])
})

test('the Routes of one directory run one version of PHP: the recorded one, and when that is not accepted any more the next one together', async () => {
  await using world = await startWorld()
  const { instance, route } = await admin(world)
  const versions = async (...ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await storedOf(world, id))?.php))
  world.deps.php.versionFor = async (_session, { recorded }) => recorded ?? '8.4'
  const { data: second } = await createFor(world, instance, { domain: 'b.example', web_root: ADMIN })
  assert.deepEqual(await versions(route, second.id), ['8.2', '8.2'])
  world.deps.php.versionFor = async () => '8.4'
  const { data: third } = await createFor(world, instance, { domain: 'c.example', web_root: ADMIN })
  assert.deepEqual(await versions(route, second.id, third.id), ['8.4', '8.4', '8.4'])
})
