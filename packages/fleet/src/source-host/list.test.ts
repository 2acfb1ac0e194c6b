import assert from 'node:assert/strict'
import { fakeCall, forEachDialect, openTestStore, recordHostKey, testDomains } from '@fleet/testing'

forEachDialect('git-host:list shows every host with its recorded keys', async (dialect) => {
  await using store = await openTestStore({ dialect })
  await recordHostKey(store, 'b.test')
  await recordHostKey(store, 'a.test')
  const { handlers } = testDomains({ store }).sourceHost
  const { data } = await handlers['git-host:list']({ call: fakeCall(), input: {} })
  assert.deepEqual(
    data.map(({ host, port, keys }) => [host, port, keys.map(({ type, trust }) => [type, trust])]),
    [
      ['a.test', 22, [['ssh-ed25519', 'given']]],
      ['b.test', 22, [['ssh-ed25519', 'given']]],
    ],
  )
})
