import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CodedError } from '@fleet/kernel'
import { openTestStore } from '@fleet/testing'
import { holdConnections } from '#/processes/connections/hold.ts'

/** Holds the connections of the uses; answers what was asked of them, in order. */
async function asked(uses: ReadonlyArray<readonly [slug: string, prefix: string]>, password = 'secret') {
  await using store = await openTestStore()
  const seen: string[] = []
  const connections = {
    hold: async (_db: unknown, slug: string) => void seen.push(`hold ${slug}`),
    keysOf: async (_db: unknown, { slug, prefix }: { readonly slug: string; readonly prefix: string }) => {
      seen.push(`read ${slug}`)
      return { set: new Map([[`${prefix}_PASSWORD`, password]]), removed: [] }
    },
  }
  const runtime = { connections: uses.map(([slug, prefix]) => ({ slug, prefix })) }
  await store.transaction((tx) => holdConnections({ connections }, tx, runtime))
  return seen
}

test('connections are held once each, in the order of their names, before one of them is read', async () => {
  assert.deepEqual(await asked([]), [])
  assert.deepEqual(
    await asked([
      ['shop', 'DB'],
      ['cache', 'CACHE'],
      ['shop', 'OTHER'],
    ]),
    ['hold cache', 'hold shop', 'read shop', 'read cache', 'read shop'],
  )
})

test('a value that the environment of a Process cannot hold is refused by its name, and is not shown', async () => {
  await assert.rejects(asked([['shop', 'DB']], 'sec\nret'), (error: CodedError) => {
    assert.equal(error.code, 'validation.failed')
    assert.deepEqual(error.details, {
      errors: {
        connections: [
          'has shop, whose DB_PASSWORD has a control character, which the environment of a Process cannot hold',
        ],
      },
    })
    return true
  })
})
