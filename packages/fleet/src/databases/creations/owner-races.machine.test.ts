// Who begins to use a database while the Instance that owns it is on its way out.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DialectName } from '@fleet/store'
import { addStep, fakeCall, forEachDialect } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'

const slug = 'app-owner'
const ON_SERVER = ['db.app_owner', 'db.app_owner_test', 'user.app_owner']

async function withOwner(dialect?: DialectName) {
  const world = await startCreationWorld(dialect)
  await world.createServer()
  const { id: owner } = await world.create({ name: 'owner', database_server: 'main' })
  const { id: other } = await world.create({ name: 'other' })
  return { world, owner, other }
}

const use = ({ domains, call }: CreationWorld, instance: number) =>
  domains.databases.handlers['instance:database:add']({
    call: call(),
    input: { instance, slug, prefix: 'DB' },
  })

const destroy = async ({ domains }: CreationWorld, instance: number, options: object = {}) => {
  const input = { instance, ...options }
  return (await domains.instances.handlers['instance:destroy']({ call: fakeCall(), input })).data
}

/** The command of a list of the Project, which begins and then waits. */
async function paused(world: CreationWorld, list: 'setup' | 'teardown', end = 'true') {
  const { fleet } = world
  const [begun, go] = [join(fleet.home, `${list}-begun`), join(fleet.home, `${list}-go`)]
  await addStep(fleet.store, {
    project_id: fleet.project.id,
    position: 1,
    list,
    name: 'waits',
    command: `touch ${begun}; while [ ! -e ${go} ]; do sleep 0.02; done; ${end}`,
  })
  return {
    begins: async () => {
      while (!existsSync(begun)) await sleep(10)
    },
    go: () => writeFileSync(go, ''),
  }
}

/** Runs the command that a refusal advises. */
const follow = async ({ domains, call }: CreationWorld, message: string): Promise<void> => {
  const [, instance, named, prefix] =
    /`fleet instance:database:remove (\d+) (\S+) --prefix (\S+)`/.exec(message) ?? assert.fail(message)
  const input = { instance: Number(instance), slug: named ?? '', prefix: prefix ?? '' }
  await domains.databases.handlers['instance:database:remove']({ call: call(), input })
}

const attachedTo = async ({ fleet: { store } }: CreationWorld): Promise<readonly number[]> => {
  const rows = await store.db
    .selectFrom('database_attachments')
    .select('instance_id')
    .orderBy('instance_id')
    .execute()
  return rows.map((row) => row.instance_id)
}

forEachDialect(
  'an Instance whose database another one began to use while its teardown list ran stays as it was, and the identical request removes it once that is detached [DB-031]',
  async (dialect) => {
    const { world, owner, other } = await withOwner(dialect)
    await using fleet = world.fleet
    const list = await paused(world, 'teardown')
    const removal = refusalOf(destroy(world, owner))
    await list.begins()
    await use(world, other)
    list.go()
    const { code, details, message } = await removal
    assert.equal(code, 'database.connection_attached')
    const instances = [{ instance_id: other, prefix: 'DB' }]
    assert.deepEqual(details, { slug, instances, processes: [], count: 1 })
    assert.match(message, new RegExp(`has run.*set it up again: \`fleet instance:setup ${owner}\``))
    assert.equal((await world.domains.instances.instances.find(owner))?.status, 'active')
    assert.deepEqual([world.onServer(), await attachedTo(world)], [ON_SERVER, [owner, other]])
    await follow(world, message)
    assert.equal((await destroy(world, owner)).status, 'completed')
    assert.deepEqual([world.onServer(), await attachedTo(world)], [[], []])
    assert.equal((await fleet.store.db.selectFrom('instances').select('id').execute()).length, 1)
  },
)

test('nobody begins to use a database of an Instance whose removal was recorded, also while nobody works on it, and the advised command ends that', async () => {
  const { world, owner, other } = await withOwner()
  await using _world = world
  world.breakOn('DROP DATABASE')
  await refusalOf(destroy(world, owner))
  const { code, details, message } = await refusalOf(use(world, other))
  const finish = `fleet instance:destroy ${owner}`
  assert.deepEqual([code, details], ['database.operation_busy', { slug, instance_id: owner, finish }])
  assert.ok(message.endsWith(`Finish that first: \`${finish}\`.`))
  world.breakOn()
  await destroy(world, owner)
  await assert.rejects(use(world, other), { code: 'database.not_found' })
  assert.deepEqual([world.onServer(), await attachedTo(world)], [[], []])
})

test('an Instance whose setup fails stays while another one uses its new database, and its teardown list is not run [DB-031, PRJ-070]', async () => {
  const world = await startCreationWorld()
  await using fleet = world.fleet
  await world.createServer()
  const { id: other } = await world.create({ name: 'other' })
  const list = await paused(world, 'setup', 'exit 1')
  const torn = join(fleet.home, 'torn')
  await addStep(fleet.store, {
    project_id: fleet.project.id,
    position: 1,
    list: 'teardown',
    name: 'torn',
    command: `touch ${torn}`,
  })
  const creation = refusalOf(world.create({ name: 'owner', database_server: 'main' }))
  await list.begins()
  await use(world, other)
  list.go()
  const { code, details, message } = await creation
  const [row] = await fleet.store.db
    .selectFrom('instances')
    .select('id')
    .where('name', '=', 'owner')
    .execute()
  const finish = `fleet instance:destroy ${row?.id} --force`
  assert.deepEqual(
    [code, details['cleanup'], details['finish']],
    ['instance.setup_step_failed', 'incomplete', finish],
  )
  assert.match(
    message,
    /The Instance owner was not removed: The database app-owner is removed with its Instance/,
  )
  assert.deepEqual([world.onServer(), existsSync(torn)], [ON_SERVER, false])
  await follow(world, message)
  await destroy(world, row?.id ?? 0, { force: true })
  assert.deepEqual([world.onServer(), existsSync(torn)], [[], true])
})

test('a forced removal with worktrees removes none of them when a database of the checkout got another user while they were torn down', async () => {
  const world = await startCreationWorld()
  await using fleet = world.fleet
  await world.createServer()
  const { id: other } = await world.create({ name: 'other' })
  const { id: main } = await world.create({ name: 'default', database_server: 'main' })
  const { db } = fleet.store
  // As after its deployment.
  const deployed = db.updateTable('instances').set(({ ref }) => ({ seed_commit: ref('starting_commit') }))
  await deployed.where('id', '=', main).execute()
  const { id: worktree } = await world.create({ name: 'feature' })
  const list = await paused(world, 'teardown')
  const removal = refusalOf(destroy(world, main, { force: true }))
  await list.begins()
  const input = { instance: other, slug: 'app-default', prefix: 'DB' }
  await world.domains.databases.handlers['instance:database:add']({ call: world.call(), input })
  list.go()
  const { code, message } = await removal
  assert.equal(code, 'database.connection_attached')
  const stays = new RegExp(`teardown list of default has run.*\`fleet instance:setup ${main}\``)
  assert.match(message, stays)
  const rows = await db
    .selectFrom('instances')
    .select(['id', 'status', 'worktree_of'])
    .orderBy('id')
    .execute()
  assert.deepEqual(rows, [
    { id: other, status: 'active', worktree_of: null },
    { id: main, status: 'active', worktree_of: null },
    { id: worktree, status: 'active', worktree_of: main },
  ])
  assert.ok(existsSync(join(fleet.apps, 'app', 'feature', 'a.txt')))
  await follow(world, message)
  const data = await destroy(world, main, { force: true })
  assert.deepEqual([data.removed_instances, world.onServer()], [[{ id: worktree, name: 'feature' }], []])
})
