import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LeafJudgement } from '@fleet/pki'
import { fakeCall } from '@fleet/testing'
import { makeRouteChecks } from '#/routes/checks/make.ts'
import { create, startWorld, type World } from '#/routes/world.test.ts'
import { updateRoute } from '#/routes/queries.ts'

interface Seen {
  readonly takesConnections?: boolean
  readonly heard?: string | undefined
  readonly served?: LeafJudgement['verdict'] | undefined
  readonly block?: string
}

/** `code: expected observed` of what Doctor says of a machine that is seen so. */
async function findings(world: World, seen: Seen = {}): Promise<readonly string[]> {
  const given = { takesConnections: true, heard: '10.44.0.7', served: 'good' as const, ...seen } // Narrower than its type.
  const certificates = {
    ...world.parts.certificates,
    inspectServed: async () => given.served && ({ verdict: given.served } as LeafJudgement), // Only the verdict is read.
  }
  const checks = await makeRouteChecks({ ...world.parts, certificates }).checksOf(fakeCall(), world.node)
  const found: string[] = []
  for (const check of checks) {
    const verdict =
      check.kind === 'stored'
        ? await check.judge()
        : check.kind === 'driven'
          ? await check.judge(world.parts.nodes.sessions.overTunnel(fakeCall(), world.node))
          : check.code === 'route.caddy_mismatch'
            ? undefined
            : await check.judge(given)
    if (verdict && 'expected' in verdict) found.push(`${check.code}: ${verdict.expected} ${verdict.observed}`)
  }
  return found
}

test('each thing that a Route needs has its own code [RTE-043]', async () => {
  await using world = await startWorld()
  assert.deepEqual(await findings(world), [])
  const { data } = await create(world)
  assert.deepEqual(await findings(world), [])
  assert.deepEqual(await findings(world, { takesConnections: false }), [
    'route.upstream_unreachable: takes connections does not',
  ])
  assert.deepEqual(await findings(world, { heard: '10.44.0.9' }), ['route.dns_mismatch: 10.44.0.7 10.44.0.9'])
  assert.deepEqual(await findings(world, { heard: undefined }), ['route.dns_mismatch: 10.44.0.7 none'])
  assert.deepEqual(await findings(world, { served: undefined }), ['route.certificate_mismatch: good none'])
  assert.deepEqual(await findings(world, { served: 'expired' }), ['route.certificate_mismatch: good expired'])
  // The record alone is judged then: nothing on the machine is expected of it.
  await updateRoute(world.store.db, data.id, { status: 'failed' })
  assert.deepEqual(await findings(world, { takesConnections: false, served: undefined }), [
    'route.lifecycle_not_active: active failed',
  ])
})
