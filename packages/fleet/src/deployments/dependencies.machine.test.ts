import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { fakeCall, testDomains } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { startWorld, type World } from '#/deployments/world.test.ts'

const profile = { application_directory: 'apps/site', framework: 'laravel', php: true } as const

/** The dependencies of the Instance, asked through the domains as a gateway builds them. */
const scan = ({ store, fleet, instance }: World, call = fakeCall()) =>
  testDomains({ store, ssh: fleet.pool }).dependencies.handlers['instance:dependencies:scan']({
    call,
    input: { instance: instance.id },
  })

test('dependencies are read in the release that a deployment or rollback selected, and no scan runs beside one [DEP-005, DEP-056]', async () => {
  await using world = await startWorld({ root: 'apps/site/public', profile })
  world.fleet.git.commit('app', 'main', {
    'apps/site/package.json': '{"name":"site"}',
    'apps/site/package-lock.json': '{"name":"site","lockfileVersion":3,"packages":{"":{"name":"site"}}}',
  })
  const refused: string[] = []
  const emit = async (line: unknown): Promise<void> => {
    if (!/"phase":"(before_activation|rollback)"/.test(JSON.stringify(line))) return
    const call = fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })
    refused.push((await refusalOf(scan(world, call))).code)
  }
  const place = async (): Promise<string | undefined> =>
    (await scan(world)).data.javascript.snapshot?.source.project_root
  const first = (await world.deploy({ call: { emit } })).result.selected_release ?? ''
  assert.equal(await place(), join(world.home, 'releases', first, 'apps/site'))
  const second = (await world.deploy()).result.selected_release ?? ''
  assert.equal(await place(), join(world.home, 'releases', second, 'apps/site'))
  await world.rollback(first, { call: { emit } })
  assert.equal(await place(), join(world.home, 'releases', first, 'apps/site'))
  assert.deepEqual(refused, ['dependencies.operation_busy', 'dependencies.operation_busy'])
})
