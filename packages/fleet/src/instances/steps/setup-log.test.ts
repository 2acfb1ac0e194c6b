import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setupLog } from '#/instances/steps/setup-log.ts'
import type { InstanceRow } from '#/instances/queries.ts'

test('each finished step of a setup is stored in the row of its Instance, after those of earlier attempts', async () => {
  const stored: unknown[] = []
  const row = { id: 7, setup_done: ['composer'] } as unknown as InstanceRow // What is read of one.
  const update = async (id: number, values: unknown) => (stored.push([id, values]), row)
  const log = setupLog({ update }, row)
  assert.deepEqual(await log.progress(), { done: ['composer'], begun: [] })
  await log.record('npm', 'started')
  await log.record('npm', 'done')
  await log.record('build', 'done')
  assert.deepEqual(stored, [
    [7, { setup_done: ['composer', 'npm'] }],
    [7, { setup_done: ['composer', 'npm', 'build'] }],
  ])
  assert.deepEqual((await log.progress()).done, ['composer', 'npm', 'build'])
})
