import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repairOf } from '@fleet/contract/doctor-codes'
import { fakeCall, forEachDialect } from '@fleet/testing'
import { NPM, startWorld, type World } from '#/dependencies/world.test.ts'

async function reported({ domain, node }: World): Promise<readonly string[]> {
  const checks = await domain.checks.checksOf(fakeCall(), { ...node, activeRoles: ['app-dev'] })
  const verdicts = await Promise.all(
    checks.map(async (check) => {
      const verdict = check.kind === 'stored' ? await check.judge() : assert.fail(check.kind)
      return verdict && 'observed' in verdict
        ? [`${check.code} ${check.resource.name}: ${verdict.observed}`]
        : []
    }),
  )
  return verdicts.flat()
}

forEachDialect(
  'an inventory whose latest scan failed is reported until a scan succeeds again; one never read is not',
  async (dialect) => {
    await using world = await startWorld({ dialect, instance: { name: 'shop' } })
    assert.deepEqual(await reported(world), [])
    world.put({ ...NPM, 'package-lock.json': '{' })
    await world.scan()
    assert.deepEqual(await reported(world), [])
    world.put(NPM)
    await world.scan()
    assert.deepEqual(await reported(world), [])
    world.put({ 'package-lock.json': '{' })
    await world.scan()
    const code = 'instance.dependencies_stale'
    assert.deepEqual(await reported(world), [`${code} shop: npm dependencies.invalid_npm_input`])
    world.put(NPM)
    const { id } = world.instance
    const place = { node_id: 1, node_name: 'web', resource_id: id, resource_name: 'shop' }
    assert.equal(repairOf(code, place).command, `instance:dependencies:scan ${id}`)
    await world.scan()
    assert.deepEqual(await reported(world), [])
  },
)

test('Instances of other Nodes are not reported', async () => {
  await using world = await startWorld()
  world.put(NPM)
  await world.scan()
  world.put({ 'package-lock.json': '{' })
  await world.scan()
  const { node } = world
  assert.equal(
    (await world.domain.checks.checksOf(fakeCall(), { ...node, id: node.id + 1, activeRoles: [] })).length,
    0,
  )
})
