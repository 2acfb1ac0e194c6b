import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { issueLeaf, readRoot } from '@fleet/pki'
import { fakeCall } from '@fleet/testing'
import { CERTIFICATE, startWorld, type World } from '#/realtime/service/world.test.ts'

/** `code: observed` of what Doctor says of the server of a Node. */
async function said({ service, session }: World, id = session.node.id): Promise<readonly string[]> {
  const lines: string[] = []
  for (const check of await service.checks.checksOf(fakeCall(), { ...session.node, id })) {
    const verdict = check.kind === 'driven' ? await check.judge(session) : assert.fail('it asks a socket')
    if (verdict && 'observed' in verdict) lines.push(`${check.code}: ${verdict.observed}`)
  }
  return lines
}

test('Doctor asks the server itself: whether it answers, and what it shows [DRF-030, RTX-100]', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  world.served = readFileSync(world.at(CERTIFICATE), 'utf8').replace(/^[^]*END PRIVATE KEY-----\n/, '')
  assert.deepEqual(await said(world), [])
  const served = world.served
  const root = readRoot(world.at('ca'))
  for (const other of [{ names: ['reverb.fleet'] }, { addresses: ['10.44.0.4'] }]) {
    const leaf = await issueLeaf(root, { names: [], addresses: [], ...other, clock: world.clock })
    world.served = leaf.certificate
    assert.deepEqual(await said(world), ['role.certificate_mismatch: for other names'])
  }
  world.served = served
  world.answers = false
  assert.deepEqual(await said(world), ['role.services_inactive: no answer'])
  world.clockAheadSeconds = -720
  assert.deepEqual(await said(world), ['role.services_inactive: a clock 720 s behind that of the gateway'])
  world.answers = true
  world.clock.advance(80 * 86_400_000)
  assert.deepEqual(await said(world), ['role.certificate_mismatch: due for renewal'])
  world.served = undefined
  assert.deepEqual(await said(world), ['role.certificate_mismatch: none'])
  assert.deepEqual(await said(world, world.nodeId + 1), [])
})
