import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { holdingTool } from '#/tools/locks.ts'
import { type AptWorld, install, remove, startAptWorld, update } from '#/tools/world.test.ts'

/** Codes that Doctor finds on the Node, each with the Tool that it names. */
async function findings({ fleet }: AptWorld): Promise<readonly string[]> {
  const node = await fleet.domains.nodes.nodes.find(fleet.node.id)
  const checks = await fleet.domains.tools.checks.checksOf(fakeCall(), node ?? fleet.node)
  const found: string[] = []
  for (const check of checks) {
    if (check.kind === 'asked') throw new Error('no such check here')
    const verdict = await (check.kind === 'driven' ? check.judge(fleet.session) : check.judge())
    if (verdict) found.push(`${check.code} ${check.resource.id}`)
  }
  return found
}

test('Doctor names what was removed or changed by hand and what nobody finished, and its next step clears it [DRF-053]', async () => {
  await using world = await startAptWorld()
  world.set('jq', { candidate: '1.7.1-3' })
  const { id } = (await install(world, 'jq')).data
  assert.deepEqual(await findings(world), [])
  world.set('jq', { candidate: '1.7.1-3' })
  assert.deepEqual(await findings(world), [`tool.not_installed ${id}`])
  await update(world, id)
  assert.deepEqual(await findings(world), [])
  world.set('jq', { candidate: '1.8.0-1', installed: '1.8.0-1' })
  assert.deepEqual(await findings(world), [`tool.version_mismatch ${id}`])
  await update(world, id)
  assert.deepEqual(await findings(world), [])
  for (const status of ['installing', 'updating', 'removing', 'failed'] as const) {
    await world.fleet.store.db.updateTable('tools').set({ status }).execute()
    assert.deepEqual(await findings(world), [`tool.lifecycle_not_active ${id}`])
    // Whoever installs it at this moment has not left it unfinished.
    const place = { node: world.fleet.node, manager: 'apt', name: 'jq' } as const
    await holdingTool(world.fleet.store, fakeCall(), place, async () =>
      assert.deepEqual(await findings(world), []),
    )
  }
  await remove(world, id)
  assert.deepEqual(await findings(world), [])
})
