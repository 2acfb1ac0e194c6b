import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import { systemIds } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { FakeClock, forEachDialect, openTestStore, testDomains, testExecutor } from '@fleet/testing'
import type { Caller } from '#/call.ts'
import type { Ending, Execution, ExecutorDeps } from '#/work/executor.ts'

const CALLER: Caller = { id: 1, name: 'web-1', address: '10.0.0.5', isGateway: false }

const change = <T>(
  run: Execution<undefined, T>['run'],
  given: Partial<Execution<undefined, T>> = {},
): Execution<undefined, T> => ({
  operation: 'sample:change',
  recording: { as: 'change', callerAddress: '10.0.0.5', client: 'test' },
  admit: (entry) => (entry.caller(CALLER), undefined),
  run,
  ...given,
})

function world(store: Store, given: Partial<ExecutorDeps> = {}) {
  const clock = new FakeClock()
  const { journal } = testDomains({ store, clock }).activities
  const published: string[] = []
  const executor = testExecutor({
    store,
    journal,
    clock,
    ids: systemIds,
    feed: { publish: async (events) => void published.push(...events.map(({ id }) => `${id}`)) },
    ...given,
  })
  const rows = () =>
    store.db
      .selectFrom('activities')
      .select(['command', 'status', 'error_code', 'caller_node_id'])
      .orderBy('id')
      .execute()
  return { executor, published, rows }
}

const removed = { id: 7, name: 'db-1' }

forEachDialect(
  'work runs under an Activity of its own, and its events are published after success',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const { executor, published, rows } = world(store)
    const during = await executor.execute(
      change(async (call) => {
        call.event('node.deleted', removed)
        assert.deepEqual(published, [])
        assert.equal(call.caller, CALLER)
        return rows()
      }),
    )
    const row = { command: 'sample:change', error_code: null, caller_node_id: 1 }
    assert.deepEqual(during, [{ ...row, status: 'running' }])
    assert.deepEqual(await rows(), [{ ...row, status: 'succeeded' }])
    assert.deepEqual(published, ['7'])
  },
)

forEachDialect('failed work publishes nothing, whoever asked for it, and throws a code', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { executor, published, rows } = world(store)
  const failing = executor.execute(
    change(
      async (call) => {
        call.event('node.deleted', removed)
        throw new Error('a bug')
      },
      { admit: () => undefined },
    ),
  )
  await assert.rejects(failing, { code: 'http.500' })
  assert.deepEqual(published, [])
  assert.deepEqual(await rows(), [
    { command: 'sample:change', status: 'failed', error_code: 'http.500', caller_node_id: null },
  ])
})

forEachDialect('work that finds the disk of the gateway full says that, and no bug', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { executor } = world(store)
  const full = Object.assign(new Error('canary'), { code: 'ENOSPC' })
  const failing = executor.execute(change(() => Promise.reject(full), { admit: () => undefined }))
  await assert.rejects(failing, {
    code: 'gateway.storage_full',
    status: 507,
    message: /disk of the gateway is full/,
  })
})

forEachDialect(
  'a failed remote command leaves its exit status in the Activity, a refusal none, and a console command its own [ACT-015]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const { executor } = world(store)
    const ended = Object.assign(new Error('ended'), { exitCode: 137 })
    const failing = () =>
      Promise.reject(fail('node.command_failed', { cause: new Error('wrapped', { cause: ended }) }))
    const exitStatus = { succeeded: 0, failed: 1 }
    await assert.rejects(executor.execute(change(failing)))
    await assert.rejects(executor.execute(change(() => Promise.reject(fail('node.not_active')))))
    await executor.execute(change(() => Promise.resolve()))
    await assert.rejects(executor.execute(change(failing, { exitStatus })))
    await executor.execute(change(() => Promise.resolve(), { exitStatus }))
    const rows = await store.db.selectFrom('activities').select('exit_code').orderBy('id').execute()
    assert.deepEqual(
      rows.map((row) => row.exit_code),
      [137, null, null, 1, 0],
    )
  },
)

forEachDialect('work without an Activity says why and stores none', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { executor, rows } = world(store)
  await executor.execute(change(async () => undefined, { recording: { unrecorded: 'tick' } }))
  assert.deepEqual(await rows(), [])
})

const add =
  (name: string): Ending<unknown>['succeeded'] =>
  async (db) => {
    await db.insertInto('facts').values({ name, value: '' }).execute()
  }
const facts = async ({ db }: Store): Promise<readonly string[]> => {
  const rows = await db.selectFrom('facts').select('name').where('name', 'like', 'ending.%').execute()
  return rows.map(({ name }) => name)
}

forEachDialect('what ends with the work is stored with its outcome or not at all', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { executor, published, rows } = world(store)
  const refuse: Ending<unknown>['succeeded'] = async (db) => {
    await add('ending.refused')(db, undefined)
    throw fail('node.lock_lost')
  }
  for (const recording of [{ as: 'change' }, { as: 'read' }, { unrecorded: 'tick' }] as const) {
    const run = async (call: Parameters<Execution<undefined, void>['run']>[0]) =>
      call.event('node.deleted', removed)
    const name = JSON.stringify(recording)
    const good = { succeeded: add(`ending.good.${name}`), failed: add(`ending.bad.${name}`) }
    await executor.execute(change(run, { recording, ending: good }))
    const bad = executor.execute(change(run, { recording, ending: { ...good, succeeded: refuse } }))
    await assert.rejects(bad, { code: 'node.lock_lost' })
    const stored = (await facts(store)).filter((fact) => fact.includes(name)).toSorted()
    assert.deepEqual(stored, [`ending.bad.${name}`, `ending.good.${name}`])
  }
  assert.ok(!(await facts(store)).includes('ending.refused'))
  assert.deepEqual(
    (await rows()).map(({ status, error_code }) => [status, error_code]),
    [
      ['succeeded', null],
      ['failed', 'node.lock_lost'],
      ['succeeded', null],
      ['failed', 'node.lock_lost'],
    ],
  )
  assert.deepEqual(published, ['7', '7', '7'])
})
