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

forEachDialect('a host that does not answer is trusted with nothing', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { handlers } = testDomains({ store }).sourceHost
  const input = { host: '127.0.0.1', port: 1 }
  await assert.rejects(handlers['git-host:trust']({ call: fakeCall(), input }), {
    code: 'git.host_unreachable',
    details: { host: '127.0.0.1', port: 1 },
  })
  assert.deepEqual((await handlers['git-host:list']({ call: fakeCall(), input: {} })).data, [])
})
