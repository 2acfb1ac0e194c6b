import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, nodeRecord } from '@fleet/testing'
import { copyDatabaseFile } from '#/instances/copies/copy-database-file.ts'
import { makeSession } from '#/nodes/api.ts'

/** What a Node whose command ends with the status answers for a copy. */
const copyWith = (exitCode: number, call = fakeCall()) =>
  copyDatabaseFile(
    makeSession({
      call,
      node: nodeRecord(),
      login: 'fleet',
      send: async () => ({ signal: null, exitCode, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }),
    }),
    { to: { path: '/home/fleet/apps/shop/a/db.sqlite', root: '/home/fleet/apps/shop/a' } },
  )

test('a Node without the executable, and one whose executable is older than the command, are distinguished from a failure', async () => {
  assert.equal(await copyWith(127), 'command_missing')
  assert.equal(await copyWith(2), 'command_missing')
  assert.equal(await copyWith(1), 'failed')
  assert.equal(await copyWith(0), undefined)
})

test('its exit status is left in the Activity where it failed [ACT-015]', async () => {
  const [failed, worked] = [fakeCall(), fakeCall()]
  await copyWith(127, failed)
  await copyWith(0, worked)
  assert.deepEqual([failed.notes.exitCode, worked.notes.exitCode], [127, undefined])
})
