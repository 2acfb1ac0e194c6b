import type {
  DependencyInventory,
  DependencySnapshot,
  EcosystemInventory,
  EcosystemName,
} from '@fleet/contract'
import type { Database } from '@fleet/store'
import {
  type Attempt,
  attemptsOf,
  type Observation,
  observationsOf,
  resolutionsOf,
} from '#/dependencies/queries.ts'
import { unpackGraph } from '#/dependencies/stored-graph.ts'

/** Scans that replace an observation while it is read are rare: more than this in a row never happen. */
const READS = 5

/** The stored inventory of an Instance; the Node is not asked. */
export async function readInventory(db: Database, instanceId: number): Promise<DependencyInventory> {
  for (let read = 1; read <= READS; read += 1) {
    const inventory = await tryRead(db, instanceId)
    if (inventory) return inventory
  }
  throw new Error(`the inventory of the Instance ${instanceId} changed with every read`)
}

/** Undefined where a scan replaced an observation between the reads. */
async function tryRead(db: Database, instanceId: number): Promise<DependencyInventory | undefined> {
  const observations = await observationsOf(db, instanceId)
  const attempts = await attemptsOf(db, instanceId)
  const of = async (ecosystem: EcosystemName): Promise<EcosystemInventory | undefined> => {
    const observation = observations.find((one) => one.ecosystem === ecosystem)
    const snapshot = observation ? await snapshotOf(db, observation) : null
    if (snapshot === undefined) return undefined
    return present(
      ecosystem,
      attempts.find((one) => one.ecosystem === ecosystem),
      snapshot,
    )
  }
  const composer = await of('composer')
  const javascript = await of('npm')
  return composer && javascript && inventoryOf(instanceId, composer, javascript)
}

export const inventoryOf = (
  instance_id: number,
  composer: EcosystemInventory,
  javascript: EcosystemInventory,
): DependencyInventory => ({
  instance_id,
  succeeded:
    composer.succeeded === null || javascript.succeeded === null
      ? null
      : composer.succeeded && javascript.succeeded,
  composer,
  javascript,
})

async function snapshotOf(db: Database, observation: Observation): Promise<DependencySnapshot | undefined> {
  const { id, observed_at, project_root, source_reference, file_hashes, format } = observation
  const source = { project_root, reference: source_reference, file_hashes, format }
  if (observation.graph === null) return { observed_at, source, graph: null }
  const graph = await unpackGraph(observation.graph, await resolutionsOf(db, id))
  return graph && { observed_at, source, graph }
}

/** The state follows from what exists: an observation, and an attempt that failed after it (DEX-003). */
function present(
  ecosystem: EcosystemName,
  attempt: Attempt | undefined,
  snapshot: DependencySnapshot | null,
): EcosystemInventory {
  const succeeded = attempt ? attempt.error_code === null : null
  return {
    ecosystem,
    state: snapshot === null ? 'unknown' : succeeded === false ? 'stale' : 'current',
    succeeded,
    attempted_at: attempt?.attempted_at ?? null,
    error_code: attempt?.error_code ?? null,
    error_detail: attempt?.error_detail ?? null,
    snapshot,
  }
}
