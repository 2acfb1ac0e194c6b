import { type ErrorCode, fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { nodeDetail } from '#/instances/checkout-session.ts'
import { inspectSource, type SourceFacts, type Unseen } from '#/instances/commands/inspect-source.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { isSameRepository } from '#/instances/repository.ts'
import { requireNoTransfer } from '#/instances/transfer/record.ts'
import type { FoundInstance } from '#/instances/require.ts'
import { finishRemoval } from '#/instances/rules.ts'
import { applicationDirectoryOf, placeOf } from '#/instances/steps/place.ts'

/** What a clone takes from its candidate. */
export interface CandidateSource {
  /** The branch that the candidate runs. */
  readonly branch: string
  /** Changes with the commits of a development candidate, and with the release of a production one. */
  readonly source: string
}

/** Throws `instance.clone_in_progress` for an Instance that has unfinished clones or copies (INS-110). */
export async function requireNotCloned(
  { queries }: Pick<InstanceDeps, 'queries'>,
  { id, name }: Pick<InstanceRow, 'id' | 'name'>,
): Promise<void> {
  const clones = await queries.unfinishedClonesOf(id)
  const [first] = clones
  if (!first) return
  throw fail('instance.clone_in_progress', {
    message: `The Instance ${name} is being cloned or copied to ${first.name}. Finish that with the command that began it, or give it up first: \`${finishRemoval(first.id, true)}\`.`,
    details: { clones: clones.map((clone) => clone.name), instances: clones },
  })
}

/** Changes nothing. Throws the codes of candidates (INS-104, INS-109). */
export async function requireCandidate(
  deps: Pick<InstanceDeps, 'nodes' | 'projects'>,
  call: Call,
  { row, node, project }: FoundInstance,
): Promise<CandidateSource> {
  if (row.status !== 'active')
    throw fail('instance.clone_candidate_inactive', { details: { status: row.status } })
  requireNoTransfer(row)
  const branch = row.deployment_branch ?? row.selected_branch
  if (branch === null) throw fail('instance.clone_candidate_branch_invalid', { details: { branch } })
  if (row.environment === 'production') {
    if (row.selected_release === null) throw fail('instance.clone_candidate_release_missing')
    return { branch, source: row.selected_release }
  }
  if (node.status !== 'active')
    throw fail('instance.clone_candidate_unavailable', { details: nodeDetail({ node }) })
  const login = await deps.projects.login(call, project)
  const answer = await deps.nodes.sessions.overTunnel(call, node).ask(
    inspectSource,
    {
      ...placeOf(row),
      login,
      applicationDirectory: applicationDirectoryOf(row),
      layout: row.source_layout ?? 'checkout',
      // Other branches and stashes of its repository are of nobody who clones.
      asked: 'head',
    },
    { broken: 'instance.clone_candidate_unavailable' },
  )
  const refused =
    answer.word === 'inspected'
      ? problemOf(answer.facts, row, isSameRepository(answer.facts.origin, project))
      : unseen[answer.word]
  if (refused) throw fail(refused, { details: { ...nodeDetail({ node }), branch } })
  return { branch, source: answer.word === 'inspected' ? answer.facts.heads : '' }
}

const unseen = {
  absent: 'instance.clone_candidate_unavailable',
  'folder-missing': 'instance.clone_candidate_unavailable',
  'root-missing': 'instance.clone_candidate_unavailable',
  'no-checkout': 'instance.clone_candidate_source_invalid',
  layout: 'instance.clone_candidate_source_invalid',
  foreign: 'instance.clone_candidate_source_invalid',
  unsafe: 'instance.clone_candidate_source_invalid',
  'record-failed': 'instance.clone_candidate_source_invalid',
  busy: 'instance.lifecycle_busy',
} as const satisfies Record<Unseen, ErrorCode>

function problemOf(facts: SourceFacts, row: InstanceRow, isSameOrigin: boolean): ErrorCode | undefined {
  if (!isSameOrigin) return 'instance.clone_candidate_source_invalid'
  if (facts.head !== `refs/heads/${row.selected_branch}`) return 'instance.clone_candidate_branch_invalid'
  if (!['clean', 'stashed'].includes(facts.cleanliness)) return 'instance.clone_candidate_dirty'
  if (facts.asked === 'silent') return 'instance.clone_candidate_repository_unavailable'
  return facts.lost ? 'instance.clone_candidate_commit_unavailable' : undefined
}
