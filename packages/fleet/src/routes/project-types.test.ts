import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectType } from '@fleet/contract'
import { appRoutes } from '#/routes/queries.ts'
import { addApp, createFor, createInstance, startWorld, type World } from '#/routes/world.test.ts'

const EVIDENCE = {
  laravel: {
    artisan: 'file',
    console: 'absent',
    composer: 'file',
    manifest: '{"require":{"laravel/framework":"^12"}}',
  },
  symfony: {
    artisan: 'absent',
    console: 'file',
    composer: 'file',
    manifest: '{"require":{"symfony/framework-bundle":"^7"}}',
  },
} as const

const instanceOf = async (world: World, type: ProjectType, root = 'public') => {
  world.checkouts.evidence = type === 'symfony-app' ? EVIDENCE.symfony : EVIDENCE.laravel
  const project = await addApp(world, { type, root })
  return (await createInstance(world, { project_id: project.id })).data.id
}

const ownRoutes = async ({ store }: World): Promise<number> =>
  (await appRoutes(store.db)).filter(({ web_root }) => web_root === null).length

for (const type of ['laravel-app', 'symfony-app'] as const)
  test(`an Instance of a ${type} has exactly one Route of its own and a pool, and no root of the repository [PRJ-015]`, async () => {
    await using world = await startWorld()
    const id = await instanceOf(world, type)
    assert.deepEqual([await ownRoutes(world), world.machine.pools.size], [1, 1])
    await assert.rejects(createFor(world, id, { domain: 'second.example' }), { status: 409 })
    assert.equal(await ownRoutes(world), 1)
    await assert.rejects(createInstance(world, { project_id: 1, name: 'rooted', root: '.' }), {
      code: 'validation.failed',
      status: 422,
    })
  })

test('an Instance of a monorepo has the Routes that are asked for, a pool for a source with PHP alone, and no root of the repository [PRJ-016]', async () => {
  await using world = await startWorld()
  const id = await instanceOf(world, 'monorepo')
  assert.deepEqual([await ownRoutes(world), world.machine.pools.size], [0, 0])
  world.php = null
  await createFor(world, id, { domain: 'files.example', web_root: 'site' })
  assert.equal(world.machine.pools.size, 0)
  world.php = '8.2'
  await createFor(world, id, { domain: 'shop.example' })
  assert.deepEqual([await ownRoutes(world), world.machine.pools.size], [1, 1])
  await assert.rejects(createInstance(world, { project_id: 1, name: 'rooted', root: '.' }), {
    code: 'validation.failed',
  })
})

for (const type of ['laravel-package', 'node-package'] as const)
  test(`an Instance of a ${type} has the Routes that are asked for and no pool, and may have the root of the repository [PRJ-017]`, async () => {
    await using world = await startWorld()
    const id = await instanceOf(world, type)
    assert.equal(await ownRoutes(world), 0)
    await createFor(world, id, { domain: 'docs.example' })
    assert.deepEqual([await ownRoutes(world), world.machine.pools.size], [1, 0])
    assert.match(world.machine.sites.get('docs.example') ?? '', /\/public$/)
    const { data } = await createInstance(world, { project_id: 1, name: 'rooted', root: '.' })
    assert.equal(data.root, '.')
  })
