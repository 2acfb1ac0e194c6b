import { doctorFamilies, type DoctorNodeReport, type DoctorReport, fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { bounded } from '#/bounded.ts'
import { examine, type ExamineDeps, isHealthy } from '#/doctor/examine.ts'
import type { Handler } from '#/handler.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'

/** Nodes that are looked at together: enough that some dead ones do not hold the others up for their whole probe. */
const NODES_AT_ONCE = 32

export interface RunDeps extends ExamineDeps {
  readonly nodes: Pick<Nodes, 'sessions' | 'find' | 'list' | 'addressable'>
}

/** `POST /doctor` (DRF-001 to DRF-015). Reads, asks and reports; it changes nothing. */
export const makeRun =
  (deps: RunDeps): Handler<'doctor:run'> =>
  async ({ call, input }) => {
    const families = new Set(input.families ?? doctorFamilies)
    const nodes =
      input.node_id === undefined ? await addressableNodes(deps, call) : [await one(deps, input.node_id)]
    const reports = await bounded(nodes, NODES_AT_ONCE, (node) => examine(deps, families, call, node))
    return { data: reportOf(reports, families.size) }
  }

/** By name, then id (DRF-004, DRF-012). */
async function addressableNodes({ nodes }: RunDeps, { caller }: Call): Promise<readonly NodeRecord[]> {
  if (!caller) return []
  const addressable = await nodes.addressable(caller)
  return (await nodes.list())
    .filter(({ id }) => addressable.has(id))
    .toSorted((a, b) => (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1))
}

async function one({ nodes }: RunDeps, id: number): Promise<NodeRecord> {
  const node = await nodes.find(id)
  if (!node) throw fail('node.not_found')
  return node
}

export function reportOf(nodes: readonly DoctorNodeReport[], families: number): DoctorReport {
  const all = nodes.flatMap((node) => node.families)
  const issues = all.flatMap((family) => family.issues)
  const count = (kind: 'drift' | 'unverifiable'): number =>
    issues.filter((issue) => issue.kind === kind).length
  return {
    healthy: isHealthy(all),
    summary: {
      nodes: nodes.length,
      families,
      checks: all.reduce((sum, { checked }) => sum + checked, 0),
      drift: count('drift'),
      unverifiable: count('unverifiable'),
    },
    nodes: [...nodes],
  }
}
