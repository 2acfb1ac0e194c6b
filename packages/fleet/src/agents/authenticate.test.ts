import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { addNode, asCaller, openTestStore, testDomains } from '@fleet/testing'
import { makeAuthenticate } from '#/agents/authenticate.ts'

test('an agent is who its address and its secret say, on a machine that the gateway manages', async () => {
  await using store = await openTestStore()
  const authenticate = makeAuthenticate(store, testDomains({ store }).nodes.nodes)
  const agent_secret_hash = createHash('sha256').update('s3cret').digest('hex')
  const node = await addNode(store, {
    agent_secret_hash,
    platform: 'linux',
    ssh_host_fingerprint: 'SHA256:x',
  })
  await authenticate(asCaller(node), 'Bearer s3cret')
  await authenticate(asCaller(node), 'bearer  s3cret ')
  for (const [given, code] of [
    [undefined, 'agent.secret_required'],
    ['Basic s3cret', 'agent.secret_required'],
    ['Bearer', 'agent.secret_required'],
    ['Bearer other', 'agent.secret_invalid'],
  ] as const)
    await assert.rejects(authenticate(asCaller(node), given), { code }, String(given))
  const without = await addNode(store, { platform: 'linux', ssh_host_fingerprint: 'SHA256:x' })
  await assert.rejects(authenticate(asCaller(without), 'Bearer s3cret'), { code: 'agent.secret_invalid' })
  for (const facts of [{ platform: 'macos' }, { ssh_host_fingerprint: null }] as const) {
    const other = await addNode(store, {
      platform: 'linux',
      ssh_host_fingerprint: 'SHA256:x',
      agent_secret_hash,
      ...facts,
    })
    await assert.rejects(authenticate(asCaller(other), 'Bearer s3cret'), { code: 'agent.node_ineligible' })
  }
})
