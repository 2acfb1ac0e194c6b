import assert from 'node:assert/strict'
import { addInstance, addNode, addProject, forEachDialect, openTestStore } from '@fleet/testing'
import type { DialectName, Store } from '@fleet/store'
import {
  confirmWrite,
  deleteValues,
  fileRecord,
  keysStoredSince,
  openWrite,
  placementRow,
  putValues,
  storedValues,
} from '#/environment/queries.ts'

const AT = '2026-01-02T03:04:05.000Z'

async function opened(dialect: DialectName): Promise<{ store: Store; id: number; other: number }> {
  const store = await openTestStore({ dialect })
  const node = await addNode(store)
  const project = await addProject(store)
  const place = { project_id: project.id, node_id: node.id }
  return { store, id: (await addInstance(store, place)).id, other: (await addInstance(store, place)).id }
}

forEachDialect(
  'values are deleted by key of their Instance alone, and none without a key',
  async (dialect) => {
    const { store, id, other } = await opened(dialect)
    await using _ = store
    const values = ['A', 'B', 'C'].map((key) => ({ key, value: '1' }))
    for (const instance of [id, other]) await putValues(store.db, instance, values, AT)
    const keysOf = async (instance: number) => (await storedValues(store.db, instance)).map(({ key }) => key)
    await deleteValues(store.db, id, [])
    assert.deepEqual(await keysOf(id), ['A', 'B', 'C'])
    await deleteValues(store.db, id, ['A', 'C', 'NONE'])
    assert.deepEqual([await keysOf(id), await keysOf(other)], [['B'], ['A', 'B', 'C']])
  },
)

forEachDialect('values are added, replaced and read by key for their Instance alone', async (dialect) => {
  const { store, id, other } = await opened(dialect)
  await using _ = store
  await putValues(
    store.db,
    id,
    [
      { key: 'B', value: '1' },
      { key: 'A', value: '2' },
    ],
    AT,
  )
  await putValues(store.db, other, [{ key: 'A', value: 'other' }], AT)
  await putValues(store.db, id, [{ key: 'B', value: '3' }], '2026-02-02T00:00:00.000Z')
  await putValues(store.db, id, [], AT)
  assert.deepEqual(await storedValues(store.db, id), [
    { key: 'A', value: '2' },
    { key: 'B', value: '3' },
  ])
  const times = await store.db
    .selectFrom('environment_values')
    .select('updated_at')
    .where('key', '=', 'B')
    .execute()
  assert.deepEqual(times, [{ updated_at: '2026-02-02T00:00:00.000Z' }])
})

forEachDialect('1,024 values are stored at once', async (dialect) => {
  const { store, id } = await opened(dialect)
  await using _ = store
  await putValues(
    store.db,
    id,
    Array.from({ length: 1024 }, (_unused, i) => ({ key: `K${i}`, value: 'v' })),
    AT,
  )
  assert.equal((await storedValues(store.db, id)).length, 1024)
})

forEachDialect('an open write keeps what is known until it is confirmed', async (dialect) => {
  const { store, id } = await opened(dialect)
  await using _ = store
  assert.deepEqual(await fileRecord(store.db, id), { known: [], pending: [] })
  await openWrite(store.db, id, ['A'])
  assert.deepEqual(await fileRecord(store.db, id), { known: [], pending: ['A'] })
  await confirmWrite(store.db, id, ['A'], AT)
  assert.deepEqual(await fileRecord(store.db, id), { known: ['A'], pending: [] })
  await openWrite(store.db, id, ['A', 'B'])
  assert.deepEqual(await fileRecord(store.db, id), { known: ['A'], pending: ['A', 'B'] })
})

forEachDialect('a confirmation without an open write is recorded too', async (dialect) => {
  const { store, id } = await opened(dialect)
  await using _ = store
  await confirmWrite(store.db, id, ['A'], AT)
  assert.deepEqual(await fileRecord(store.db, id), { known: ['A'], pending: [] })
})

forEachDialect('placement is read of the one Instance', async (dialect) => {
  const { store, id } = await opened(dialect)
  await using _ = store
  assert.partialDeepStrictEqual(await placementRow(store.db, id), { status: 'active' })
  assert.equal(await placementRow(store.db, 999_999), undefined)
})

forEachDialect('keys are known whose value was stored after the last confirmation', async (dialect) => {
  const { store, id, other } = await opened(dialect)
  await using _ = store
  const later = '2026-01-02T03:04:06.000Z'
  await putValues(store.db, id, [{ key: 'A', value: '1' }], AT)
  assert.deepEqual(await keysStoredSince(store.db, id), new Set())
  await confirmWrite(store.db, id, ['A'], AT)
  for (const instance of [id, other]) await putValues(store.db, instance, [{ key: 'B', value: '1' }], later)
  assert.deepEqual(await keysStoredSince(store.db, id), new Set(['B']))
  await confirmWrite(store.db, id, ['A', 'B'], later)
  assert.deepEqual(await keysStoredSince(store.db, id), new Set())
})

forEachDialect(
  'a clock that was set back changes nothing about which value was stored after the confirmation',
  async (dialect) => {
    const { store, id } = await opened(dialect)
    await using _ = store
    const before = '2026-01-02T01:04:05.000Z'
    await putValues(store.db, id, [{ key: 'A', value: '1' }], AT)
    await confirmWrite(store.db, id, ['A'], before)
    assert.deepEqual(await keysStoredSince(store.db, id), new Set())
    await putValues(store.db, id, [{ key: 'B', value: '1' }], before)
    assert.deepEqual(await keysStoredSince(store.db, id), new Set(['B']))
    await confirmWrite(store.db, id, ['A', 'B'], before)
    assert.deepEqual(await keysStoredSince(store.db, id), new Set())
  },
)
