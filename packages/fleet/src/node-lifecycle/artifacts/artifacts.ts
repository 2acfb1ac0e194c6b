import type { ArtifactName, FootprintData } from '@fleet/contract'
import { run } from '@fleet/shell'
import { type Step, stepList } from '@fleet/steps'
import { trustingAgent } from '#/node-lifecycle/agent.ts'
import type { NodeServices } from '#/node-lifecycle/dependencies.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import type { ArtifactResult, NodeRecord, NodeSession } from '#/nodes/api.ts'
import { artifactFailure } from '#/node-lifecycle/artifacts/failure.ts'
import { appliedDigests, putDigest } from '#/node-lifecycle/artifacts/queries.ts'
import { performSteps } from '#/perform-steps.ts'

type Entry = FootprintData['artifacts'][number]

/** The agent among the other artifacts. */
interface Artifact {
  readonly name: ArtifactName
  digest(node: NodeRecord): Promise<string | undefined>
  converge(session: NodeSession, options: { readonly force: boolean }): Promise<ArtifactResult>
}

/** An artifact as this Node is to have it. */
interface Desired extends Pick<Artifact, 'name'> {
  readonly artifact: Artifact
  readonly wanted: string
  readonly isApplied: boolean
}

export interface ArtifactWork {
  readonly deps: Pick<LifecycleDeps, 'store' | 'clock' | 'services'>
  readonly session: NodeSession
  readonly force: boolean
  readonly artifacts: readonly Desired[]
  readonly results: Map<ArtifactName, ArtifactResult>
}

/** What is applied already is no step. Nothing is undone: the identical request applies what is left. */
export const nodeArtifacts = stepList<ArtifactWork>(
  'node-artifacts',
  ({ artifacts }) => artifacts.filter(({ isApplied }) => !isApplied).map(applying),
  { forwardOnly: true },
)

const applying = ({ name, artifact, wanted }: Desired): Step<ArtifactWork> => ({
  name,
  run: async ({ deps, session, force, results }) => {
    const result = await artifact.converge(session, { force })
    results.set(name, result)
    if (typeof result !== 'string') return 'skipped'
    await putDigest(deps.store.db, {
      node_id: session.node.id,
      artifact: name,
      digest: wanted,
      applied_at: deps.clock.now().toISOString(),
    })
    return undefined
  },
})

/**
 * Applies what the gateway's own code would install differently from the last time, or with `force` all of it, in order
 * (NODE-121). Throws what `artifactFailure` makes of the cause, and the codes of NodeSession
 * where nothing has to be applied and the Node does not answer.
 */
export async function convergeArtifacts(
  deps: ArtifactWork['deps'],
  session: NodeSession,
  { force }: { readonly force: boolean },
): Promise<readonly Entry[]> {
  const footprint = await artifactsOf(deps, session, force)
  // Digests are of records: whether the Node is there at all, only the Node can say.
  if (footprint.artifacts.every(({ isApplied }) => isApplied)) await session.run(run('true'))
  await performSteps(nodeArtifacts, footprint, {
    call: session.call,
    errorOf: (failure) => artifactFailure(session.node, failure),
  })
  return footprint.artifacts.map(({ name }) => entryOf(name, footprint.results.get(name) ?? 'unchanged'))
}

/** What this Node is to have, and what of it the last converge applied. */
export async function artifactsOf(
  deps: ArtifactWork['deps'],
  session: NodeSession,
  force: boolean,
): Promise<ArtifactWork> {
  const applied = await appliedDigests(deps.store.db, session.node.id)
  const artifacts: Desired[] = []
  for (const artifact of allArtifacts(deps.services)) {
    const wanted = await artifact.digest(session.node)
    if (wanted === undefined) continue
    artifacts.push({
      name: artifact.name,
      artifact,
      wanted,
      isApplied: !force && applied.get(artifact.name) === wanted,
    })
  }
  return { deps, session, force, artifacts, results: new Map() }
}

const allArtifacts = (services: NodeServices): readonly Artifact[] => [
  { name: 'agent', ...trustingAgent(services) },
  ...services.artifacts,
]

const entryOf = (name: ArtifactName, result: ArtifactResult): Entry =>
  typeof result === 'string'
    ? { name, outcome: result, error_code: null }
    : {
        name,
        outcome: 'skipped',
        error_code: result.skipped,
        ...(result.message === undefined ? {} : { message: result.message }),
        ...(result.details === undefined ? {} : { details: result.details }),
      }
