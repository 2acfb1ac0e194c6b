import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallOptions, Sender } from '@fleet/sdk/core'
import { readerOf } from './read-more.ts'
import { readTree } from './tree.ts'

test('a further read waits as long as the command, or as it says itself', async () => {
  const waited: (number | undefined)[] = []
  const sender = {
    send: async (_route: unknown, _members: unknown, options?: CallOptions) => {
      waited.push(options?.timeoutSeconds)
      return { data: [] }
    },
  } as unknown as Sender // Nothing else of it is used.
  const read = readerOf(sender, { tree: readTree() }, { timeoutSeconds: 60 })
  await read('node:list', {})
  await read('process:list', {}, 3)
  assert.equal(await read('no:operation', {}), undefined)
  assert.deepEqual(waited, [60, 3])
})
