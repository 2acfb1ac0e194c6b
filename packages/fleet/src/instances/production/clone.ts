import { fail, type InputOf, type InstanceData, invalid } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { nodeDetail } from '#/instances/checkout-session.ts'
import { isLinux } from '#/instances/guards.ts'
import { withLifecycleLock, withOperationLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { type FoundInstance, presented, requireInstance, requireUnmoved } from '#/instances/require.ts'
import { beingRemoved, rulesOf } from '#/instances/rules.ts'
import { requireSeed, seedOf } from '#/instances/sqlite/seed.ts'
import { type NodeRecord, requireOwnMachine } from '#/nodes/api.ts'
import { isBranchName } from '#/projects/api.ts'
import { isRepeat, otherValues } from '#/repeats.ts'
import { requireCandidate } from './candidate.ts'
import { reserveClone } from './reserve.ts'
import { runClone, sessionOf } from './run-clone.ts'

type CloneInput = InputOf<'instance:clone'>

/** A production Instance made from another Instance, which stays as it is (INS-102 to INS-110). */
export const makeClone =
  (deps: InstanceDeps): Handler<'instance:clone'> =>
  async ({ call, input, found: seen }) => {
    const { row: candidate, project } = seen?.candidate ?? (await requireInstance(deps, input.candidate))
    const node = await deps.nodes.find(input.node_id)
    if (!node) throw fail('node.not_found')
    call.note.target(node.id)
    const { name } = input
    return withLifecycleLock(deps.store, call, { projectId: project.id, name }, async () => {
      const stored = requireSameRequest(await deps.queries.findNamed(project.id, name), candidate.id, input)
      if (stored) call.note.subject('instance', stored.id)
      if (stored && rulesOf(stored).isCreated)
        return { data: await presented(deps, stored, { project, node }), created: false }
      requireUsable(node, input)
      const found = await requireUnmoved(deps, { row: candidate })
      const begun = await begin(deps, call, { found, node, input, stored })
      call.note.subject('instance', begun.row.id)
      const active = await runClone(deps, call, { node, ...begun })
      const placement = { project: begun.candidate.project, node }
      const data: InstanceData = await presented(deps, active, placement)
      call.event('instance.created', data)
      return { data, created: stored === undefined }
    })
  }

/**
 * Under the lock of the candidate, which cannot be removed between its check and the reservation. The candidate as it is then: its
 * Project may have been changed while this waited.
 */
const begin = (
  deps: InstanceDeps,
  call: Call,
  {
    found,
    node,
    input,
    stored,
  }: {
    readonly found: FoundInstance
    readonly node: NodeRecord
    readonly input: CloneInput
    readonly stored: InstanceRow | undefined
  },
): Promise<{ readonly row: InstanceRow; readonly candidate: FoundInstance }> =>
  withOperationLock(deps.store, call, found.row.id, 'instance.lifecycle_busy', async () => {
    const candidate = await requireUnmoved(deps, found)
    const source = await requireCandidate(deps, call, candidate)
    if (!stored) {
      await deps.projects.requireSettled(candidate.project.id)
      const { sqlite_source_path: path } = input
      if (path !== undefined)
        await requireSeed(
          deps.files,
          candidate.row,
          seedOf(sessionOf(deps, call, candidate), candidate.row, path),
        )
      return { row: await reserveClone(deps, call, { candidate, node, input, source }), candidate }
    }
    if (stored.clone?.candidate_source === source.source) return { row: stored, candidate }
    throw fail(
      candidate.row.environment === 'production'
        ? 'instance.clone_candidate_release_changed'
        : 'instance.clone_candidate_changed',
    )
  })

/** The stored clone of the identical request. Throws `instance.placement_conflict` and `instance.clone_retry_conflict`. */
function requireSameRequest(
  row: InstanceRow | undefined,
  candidateId: number,
  { node_id, preview_name, branch, sqlite_source_path }: CloneInput,
): InstanceRow | undefined {
  if (!row) return undefined
  const details = { instance_id: row.id }
  if (!row.clone) throw fail('instance.placement_conflict', { details })
  const compared = {
    instance: row.clone_candidate_id === candidateId,
    node_id: row.node_id === node_id,
    preview_name: row.clone.preview_name === preview_name,
    branch: row.clone.branch === (branch ?? null),
    sqlite_source_path: row.clone.sqlite_source_path === (sqlite_source_path ?? null),
  }
  if (!isRepeat(compared)) throw otherValues('instance.clone_retry_conflict', compared, details)
  if (rulesOf(row).isLeaving) throw beingRemoved(row)
  return row
}

/** Refuses a clone that this Node does not take, before any change: it is an active Linux Node with `app-prod` (INS-102, INS-108). */
function requireUsable(node: NodeRecord, { branch }: CloneInput): void {
  if (branch !== undefined && !isBranchName(branch))
    throw invalid({ branch: ['must be a valid Git branch name'] })
  const details = nodeDetail({ node })
  if (node.status !== 'active') throw fail('instance.node_inactive', { details })
  if (!isLinux(node) || !node.activeRoles.includes('app-prod'))
    throw fail('instance.node_not_app_prod', { details })
  requireOwnMachine(node, 'users', 'Unix users for production Instances')
}
