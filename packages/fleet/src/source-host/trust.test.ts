import assert from 'node:assert/strict'
import { fakeCall, forEachDialect, openTestStore, testDomains } from '@fleet/testing'

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
