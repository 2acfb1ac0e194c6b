import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addStep } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { testSeed } from '@fleet/testing/sample'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'

const DEFAULT = ['db.app_default', 'db.app_default_test', 'user.app_default']
const FEATURE = ['db.app_feature', 'db.app_feature_test', 'user.app_feature']
const SHARES = 2
const REQUESTS = { server: { database_server: 'main' }, clone: {} } as const
type Kind = keyof typeof REQUESTS

async function startWith(kind: Kind): Promise<CreationWorld> {
  const world = await startCreationWorld()
  await world.createServer()
  if (kind === 'server') return world
  await world.create({ name: 'default', database_server: 'main' })
  world.put('db.app_default', 'rows of default')
  return world
}

/** The Node answers nothing from the given command of a database on. */
function silence({ fleet: { pool } }: CreationWorld, from: number): void {
  let asked = 0
  pool.failBefore((shown) => {
    if (/database server|cop.* a database/.test(shown) || asked >= from) asked += 1
    return asked >= from
  }, 'connection_lost')
}

const rowOf = ({ fleet: { store } }: CreationWorld) =>
  store.db
    .selectFrom('instances')
    .select(['id', 'status', 'database_pending', 'failed_step', 'error_code'])
    .where('name', '=', 'feature')
    .executeTakeFirst()

for (const kind of ['server', 'clone'] as const)
  test(`a Node that stops to answer while an Instance gets its database leaves one that the identical request finishes, and names the command that gives it up: ${kind} [INS-068, INS-069]`, async () => {
    await using world = await startWith(kind)
    const { fleet } = world
    const { pool, project, store } = fleet
    await addStep(store, { project_id: project.id, position: 1, command: 'touch set-up' })
    const before = { onServer: world.onServer(), residue: fleet.residue() }
    let isRepeated = false
    const code = kind === 'clone' ? 'instance.database_clone_failed' : 'node.connection_lost'
    // Every seed has its own share; together they try all.
    for (let from = 1 + (testSeed() % SHARES); ; from += SHARES) {
      silence(world, from)
      const request = world.create(REQUESTS[kind])
      const isOver = await request.then(
        () => true,
        () => false,
      )
      pool.clearFaults()
      if (isOver) {
        assert.ok(from > (kind === 'clone' ? 5 : 2), `${from} commands`)
        break
      }
      const refused = await refusalOf(request)
      const row = await rowOf(world)
      assert.ok(row)
      const finish = `fleet instance:destroy ${row.id} --force`
      const { cleanup, finish: named } = refused.details
      assert.deepEqual([refused.code, cleanup, named], [code, 'incomplete', finish], `command ${from}`)
      await assert.rejects(request, (error: Error) => {
        assert.match(
          error.message,
          /^The Instance feature waits for its database: .* Repeat the same request once the Node answers\. /,
        )
        assert.ok(error.message.endsWith(`\`${finish}\`.`), error.message)
        return true
      })
      const waiting = { status: 'active', database_pending: kind, failed_step: 'database', error_code: code }
      assert.deepEqual(row, { id: row.id, ...waiting })
      // Every other time somebody gives it up.
      isRepeated = !isRepeated
      if (isRepeated) {
        await world.create(REQUESTS[kind])
        const done = { status: 'active', database_pending: null, failed_step: null, error_code: null }
        assert.deepEqual(await rowOf(world), { id: row.id, ...done })
        assert.deepEqual(world.onServer(), [...(kind === 'clone' ? DEFAULT : []), ...FEATURE].toSorted())
        assert.equal(world.text('db.app_feature'), kind === 'clone' ? 'rows of default' : '')
        assert.match(world.envFile('feature') ?? '', /^DB_DATABASE="app_feature"$/m)
        assert.notEqual(world.envFile('feature', 'set-up'), undefined)
      }
      await fleet.destroy(row.id, true, world.domains.instances)
      assert.deepEqual({ onServer: world.onServer(), residue: fleet.residue() }, before)
    }
  })

test('an Instance that waited for its database and that somebody has worked in stays when its copy fails at last', async () => {
  await using world = await startWith('clone')
  const { fleet } = world
  silence(world, 5)
  await assert.rejects(world.create(REQUESTS.clone))
  fleet.pool.clearFaults()
  const work = join(fleet.apps, 'app', 'feature', 'work.txt')
  writeFileSync(work, 'of a day')
  world.breakOn('copy app_default')
  const { code, details } = await refusalOf(world.create(REQUESTS.clone))
  const row = await rowOf(world)
  assert.equal(code, 'instance.database_clone_failed')
  assert.partialDeepStrictEqual(details, {
    cleanup: 'incomplete',
    reasons: ['uncommitted_work'],
    finish: `fleet instance:destroy ${row?.id}`,
  })
  assert.deepEqual([row?.status, row?.database_pending, row?.failed_step], ['active', 'clone', 'database'])
  assert.equal(readFileSync(work, 'utf8'), 'of a day')
  world.breakOn()
  await world.create(REQUESTS.clone)
  assert.deepEqual([(await rowOf(world))?.database_pending, readFileSync(work, 'utf8')], [null, 'of a day'])
})
