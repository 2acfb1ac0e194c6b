import assert from 'node:assert/strict'
import { doctorReport } from '@fleet/contract'
import { expectedOn, homesOn, observedOn } from './observed.ts'
import type { World } from './world.ts'

/** What the fleet is asked about; the machines themselves have no tunnel, agent or firewall here. */
const FAMILIES = ['project', 'instance', 'process', 'schedule', 'database_connection', 'route'] as const

/** Doctor is content, and a walk over every Node finds what the records say, nothing less and nothing more. */
export async function requireExact(world: World, told: string): Promise<void> {
  const gateway = world.gateway()
  for (const machine of world.machines.all) {
    const input = { node_id: machine.node.id, families: [...FAMILIES] }
    const report = doctorReport.parse(await gateway.ask('doctor:run', input))
    const issues = report.nodes.flatMap(({ families }) =>
      families.flatMap((family) =>
        family.issues.map((issue) => `${issue.code} ${issue.resource_name} ${issue.observed}`),
      ),
    )
    assert.deepEqual(issues, [], told)
    const observed = [...observedOn(world, machine), ...(await homesOn(world, machine))].toSorted()
    assert.deepEqual(observed, await expectedOn(world, machine), told)
  }
}
