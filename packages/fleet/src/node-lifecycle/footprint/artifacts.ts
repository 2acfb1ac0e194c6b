import { type ArtifactName, fail, type FootprintData } from '@fleet/contract'
import { trustingAgent } from '#/node-lifecycle/agent.ts'
import type { NodeServices } from '#/node-lifecycle/dependencies.ts'
import { type ArtifactResult, identityOf, type Machine, type NodeRecord } from '#/nodes/api.ts'
import { appliedDigests, putDigest } from '#/node-lifecycle/footprint/queries.ts'
import type { LifecycleParts } from '#/node-lifecycle/enrolment/provisioning.ts'
import { codeOf } from '#/roles/api.ts'

type Entry = FootprintData['artifacts'][number]

/** The agent among the other artifacts. */
interface Artifact {
  readonly name: ArtifactName
  digest(node: NodeRecord): Promise<string | undefined>
  converge(machine: Machine, options: { readonly force: boolean }): Promise<ArtifactResult>
}

/**
 * Applies what the gateway's own code would install differently from the last time, or with `force` all of it, in order
 * (NODE-121). Throws `node.footprint_failed` with `details.artifact` and `details.error_code`.
 */
export async function convergeArtifacts(
  parts: Pick<LifecycleParts, 'store' | 'clock' | 'services'>,
  machine: Machine,
  options: { readonly force: boolean },
): Promise<readonly Entry[]> {
  const applied = await appliedDigests(parts.store.db, machine.node.id)
  const entries: Entry[] = []
  for (const artifact of artifactsOf(parts.services)) {
    const digest = await artifact.digest(machine.node)
    if (digest === undefined) continue
    const isApplied = !options.force && applied.get(artifact.name) === digest
    const result = isApplied ? 'unchanged' : await apply(machine, artifact, options)
    if (!isApplied && typeof result === 'string') await remember(parts, machine, artifact.name, digest)
    entries.push(entryOf(artifact.name, result))
  }
  return entries
}

const artifactsOf = (services: NodeServices): readonly Artifact[] => [
  { name: 'agent', ...trustingAgent(services) },
  ...services.artifacts,
]

async function apply(
  machine: Machine,
  artifact: Artifact,
  options: { readonly force: boolean },
): Promise<ArtifactResult> {
  const { call } = machine
  call.progress({ step: artifact.name, status: 'started' })
  try {
    const result = await artifact.converge(machine, options)
    call.progress({ step: artifact.name, status: typeof result === 'string' ? 'done' : 'skipped' })
    return result
  } catch (error) {
    call.progress({ step: artifact.name, status: 'failed' })
    const details = { node: identityOf(machine.node), artifact: artifact.name, error_code: codeOf(error) }
    throw fail('node.footprint_failed', { details, cause: error })
  }
}

const remember = (
  { store, clock }: Pick<LifecycleParts, 'store' | 'clock'>,
  { node }: Machine,
  artifact: ArtifactName,
  digest: string,
): Promise<void> =>
  putDigest(store.db, { node_id: node.id, artifact, digest, applied_at: clock.now().toISOString() })

const entryOf = (name: ArtifactName, result: ArtifactResult): Entry =>
  typeof result === 'string'
    ? { name, outcome: result, error_code: null }
    : { name, outcome: 'skipped', error_code: result.skipped }
