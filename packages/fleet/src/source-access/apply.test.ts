import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, nodeRecord } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { makeSourceAccess } from '#/source-access/api.ts'

const checkoutPath = '/home/fleet/apps/shop/default'

/** Access to a checkout, and the web roots of each script; `during` runs while a script does. */
function world(during: (script: number, serve: (...webRoots: readonly string[]) => void) => void) {
  let webRoots: readonly string[] = ['public']
  const scripts: Array<readonly string[]> = []
  const ask = async (_script: unknown, target: { readonly webRoots: readonly string[] }) => {
    during(scripts.push(target.webRoots), (...roots) => void (webRoots = roots))
    return { unreadable: [], count: 0 }
  }
  const node = nodeRecord({ user_home: '/home/fleet' })
  const session = { node, call: fakeCall(), ask } as unknown as NodeSession // Nothing else of it is used.
  const access = makeSourceAccess({
    store: { locks: { acquire: () => Promise.reject(new Error('unused')), holderOf: async () => undefined } },
    served: { servedOn: async () => [{ checkoutPath, webRoots }] },
  })
  return { scripts, apply: () => access.apply(session, checkoutPath) }
}

test('what a Route got or lost while the access was set is set once more, by the records of then [SRC-001]', async () => {
  const { scripts, apply } = world((script, serve) => {
    if (script === 1) serve('public', 'apps/admin/public')
    if (script === 2) serve('apps/admin/public')
  })
  await apply()
  const [main, admin] = [`${checkoutPath}/public`, `${checkoutPath}/apps/admin/public`]
  assert.deepEqual(scripts, [[main], [admin, main], [admin]])
})

test('access that nothing changes meanwhile is set once', async () => {
  const { scripts, apply } = world(() => undefined)
  assert.deepEqual(await apply(), { warnings: [] })
  assert.equal(scripts.length, 1)
})
