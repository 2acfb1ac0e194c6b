import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { script } from '@fleet/shell'
import { addInstance, addProject, localSession } from '@fleet/testing'
import type { Question } from '#/nodes/api.ts'
import { makeDirectories, pool, removeDirectory, startWorld, type World } from '#/php/world.test.ts'

const FILE = 'etc/php/8.2/fpm/pool.d/fleet-scopes.conf'

/** The question as Doctor asks it. */
async function answerOf(
  { session }: World,
  { source, args = [], read }: Question<unknown>,
): Promise<unknown> {
  const { exitCode, stdout } = await session.run(script(source, ...args))
  return read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
}

async function findingsOf(world: World): Promise<readonly string[]> {
  const found: string[] = []
  for (const { checksOf } of world.php.checks)
    for (const check of await checksOf(world.session.call, world.session.node)) {
      if (check.kind !== 'asked') throw new Error('a question was expected')
      const verdict = await check.judge(await answerOf(world, check.question))
      if (verdict && 'expected' in verdict)
        found.push(`${check.resource.name} ${check.code}: ${verdict.expected}, ${verdict.observed}`)
    }
  return found
}

test('Doctor finds a missing directory, and pools that are missing, stopped, shared or edited; a converge clears what it can [DRF-038, DRF-045]', async () => {
  await using world = await startWorld()
  world.install('8.2')
  world.pools = [pool(1), pool(1, '8.2', 'apps/site'), pool(2)]
  makeDirectories(world)
  await world.listen(...world.pools)
  assert.deepEqual(await findingsOf(world), [
    'shop-1 instance.php_fpm_association_missing: a pool, none',
    'shop-2 instance.php_fpm_association_missing: a pool, none',
  ])
  await world.php.converge(world.session)
  assert.deepEqual(await findingsOf(world), [])

  const text = world.host.read(FILE) ?? ''
  world.host.write(FILE, text.replace('pm.max_children = 10', 'pm.max_children = 99'))
  assert.deepEqual(await findingsOf(world), [
    'shop-1 instance.php_fpm_projection_mismatch: the recorded pool, another configuration',
  ])
  await world.php.converge(world.session)
  assert.deepEqual(await findingsOf(world), [])

  world.host.write(FILE, `${text}\n[mine]\nlisten = /run/php/orbit-app-instance-2.sock\n`)
  assert.deepEqual(await findingsOf(world), [
    'shop-2 instance.php_fpm_association_shared: its own pool, shared',
  ])
  await world.php.converge(world.session)
  assert.deepEqual(await findingsOf(world), [])

  // The role asks for no version that was stopped and disabled beside another one.
  world.host.systemd.kill('php8.2-fpm.service')
  assert.deepEqual(await findingsOf(world), [
    'shop-1 instance.php_fpm_association_missing: a running service, stopped',
    'shop-2 instance.php_fpm_association_missing: a running service, stopped',
  ])
  await world.php.converge(world.session)
  assert.deepEqual(await findingsOf(world), [])

  removeDirectory(world, pool(2))
  assert.deepEqual(await findingsOf(world), [
    'app-dev role.php_pool_directory_missing: 3 directories, 1 missing',
  ])
  makeDirectories(world)
  assert.deepEqual(await findingsOf(world), [])
})

test('a missing directory of production is said of `app-prod` where the Node is no `app-dev` [DRF-038]', async () => {
  await using world = await startWorld()
  await world.store.db.updateTable('node_roles').set({ role: 'app-prod' }).execute()
  world.services = [
    {
      instance: { id: 7, name: 'live' },
      user: 'shop',
      home: '/home/shop',
      version: '8.2',
      defaultDirectory: '',
      otherDirectories: ['apps/site'],
      isDeployed: true,
    },
  ]
  const node = { ...world.session.node, activeRoles: ['app-prod'] as const }
  const at = { ...world, session: localSession(world.host.pool, { node }) }
  const missing = async () =>
    (await findingsOf(at)).filter((finding) => finding.includes('php_pool_directory_missing'))
  assert.deepEqual(await missing(), ['app-prod role.php_pool_directory_missing: 2 directories, 2 missing'])
  mkdirSync(world.host.at('home/shop/current'), { recursive: true })
  assert.deepEqual(await missing(), ['app-prod role.php_pool_directory_missing: 2 directories, 1 missing'])
  mkdirSync(world.host.at('home/shop/current/apps/site'), { recursive: true })
  assert.deepEqual(await missing(), [])
})

for (const values of [
  { removal_status: 'removing' },
  { removal_status: 'failed', status: 'removing' },
  { status: 'source_resolved' },
] as const)
  test(`Doctor does not judge the PHP of an Instance with ${JSON.stringify(values)} [DOC-025]`, async () => {
    await using world = await startWorld()
    world.install('8.2')
    const project = await addProject(world.store)
    const place = { project_id: project.id, node_id: world.session.node.id }
    const [staying, moving] = [await addInstance(world.store, place), await addInstance(world.store, place)]
    world.pools = [pool(staying.id), pool(moving.id)]
    world.services = [staying, moving].map(({ id }) => ({
      instance: { id, name: `shop-${id}` },
      user: `shop${id}`,
      home: `/home/shop${id}`,
      version: '8.2',
      defaultDirectory: '',
      otherDirectories: [],
      isDeployed: true,
    }))
    const found = async (): Promise<readonly string[]> => (await findingsOf(world)).toSorted()
    const of = (id: number): readonly string[] => [
      `shop-${id} instance.php_fpm_association_missing: a pool, none`,
      `shop-${id} instance.php_fpm_association_missing: a service, none`,
    ]
    const directories = (count: number): string =>
      `app-dev role.php_pool_directory_missing: ${count} directories, ${count} missing`
    assert.deepEqual(await found(), [directories(4), ...of(staying.id), ...of(moving.id)].toSorted())
    await world.store.db.updateTable('instances').set(values).where('id', '=', moving.id).execute()
    assert.deepEqual(await found(), [directories(2), ...of(staying.id)].toSorted())
  })
