import { type EcosystemName, ecosystems } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Outcome, Outcomes } from '#/dependencies/outcome.ts'
import type { DependencyDeps } from '#/dependencies/deps.ts'
import { type PackedGraph, putAttempt, putObservation } from '#/dependencies/queries.ts'
import { graphDigest, packGraph } from '#/dependencies/stored-graph.ts'

type StoreDeps = Pick<DependencyDeps, 'store' | 'clock'>

/**
 * Stores how a scan ended, one transaction for each ecosystem; a failure stores only an attempt (DEX-034). Answers the
 * ecosystems that the database did not take. Throws `node.lock_lost`: the inventory belongs to the next holder.
 */
export async function storeOutcomes(
  deps: StoreDeps,
  call: Call,
  instanceId: number,
  outcomes: Outcomes,
): Promise<ReadonlySet<EcosystemName>> {
  const unstored = new Set<EcosystemName>()
  for (const ecosystem of ecosystems) {
    call.locks.requireHeld()
    try {
      await storeOutcome(deps, { instance_id: instanceId, ecosystem }, outcomes[ecosystem])
    } catch {
      call.log('an inventory could not be stored', { instance: instanceId, ecosystem })
      unstored.add(ecosystem)
    }
  }
  return unstored
}

async function storeOutcome(
  { store, clock }: StoreDeps,
  of: { readonly instance_id: number; readonly ecosystem: EcosystemName },
  outcome: Outcome,
): Promise<void> {
  const at = clock.now().toISOString()
  if (outcome.kind === 'failed') {
    const { code: error_code, detail: error_detail } = outcome
    return store.transaction((db) => putAttempt(db, { ...of, attempted_at: at, error_code, error_detail }))
  }
  const { projectRoot: project_root, reference: source_reference, hashes: file_hashes, format } = outcome
  const source = { ...of, observed_at: at, project_root, source_reference, file_hashes, format }
  const packed = outcome.graph ? await packedOf(outcome.graph) : undefined
  await store.transaction(async (db) => {
    await putObservation(db, source, packed)
    await putAttempt(db, { ...of, attempted_at: at, error_code: null, error_detail: null })
  })
}

const packedOf = async (graph: PackedGraph['graph']): Promise<PackedGraph> => ({
  graph,
  text: await packGraph(graph),
  digest: graphDigest(graph),
})
