import { fail, type InputOf, type InstanceData, invalid } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { readHead } from '#/instances/commands/read-head.ts'
import { withLifecycleLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import {
  type FoundInstance,
  presented,
  requireInstance,
  requireNodeActive,
  requireUnmoved,
} from '#/instances/require.ts'
import { rulesOf } from '#/instances/rules.ts'
import { directoryProblem, stepFailed } from '#/instances/steps/directory-problem.ts'
import { placeOf } from '#/instances/steps/place.ts'
import { requireNoTransfer } from '#/instances/transfer/record.ts'
import { isBranchName } from '#/projects/api.ts'

type Wanted = Pick<InputOf<'instance:rename'>, 'branch' | 'domain'>

/**
 * Gives the own Route of a development Instance another domain, then records another branch (INS-083 to INS-087). Both are
 * checked before anything changes; the identical request resumes a domain that was begun.
 */
export const makeRename =
  (deps: InstanceDeps): Handler<'instance:rename'> =>
  async ({ call, input, found: seen }) => {
    requireMembers(input)
    const { row: known, node } = seen?.instance ?? (await requireInstance(deps, input.instance))
    call.note.subject('instance', known.id)
    call.note.target(node.id)
    const place = { projectId: known.project_id, name: known.name }
    return withLifecycleLock(deps.store, call, place, async () => {
      const found = await requireUnmoved(deps, { row: known })
      return { data: await rename(deps, call, found, input) }
    })
  }

function requireMembers({ branch, domain }: Wanted): void {
  if (branch === undefined && domain === undefined)
    throw invalid({ branch: ['name at least one of branch and domain'] })
  if (branch !== undefined && !isBranchName(branch))
    throw invalid({ branch: ['must be a valid Git branch name'] })
}

async function rename(
  deps: InstanceDeps,
  call: Call,
  { row, project, node }: FoundInstance,
  { branch, domain }: Wanted,
): Promise<InstanceData> {
  requireRenamable(row)
  requireNoTransfer(row)
  requireNodeActive(node)
  const checkout = { session: deps.nodes.sessions.overTunnel(call, node), project }
  if (branch !== undefined) await requireCheckedOut(checkout, row, branch)
  const isMoved = domain !== undefined && (await deps.routes.changeDomain(call, row, domain))
  const renamed = branch === undefined ? row : await recordBranch(deps, row, branch)
  const data = await presented(deps, renamed, { project, node })
  if (isMoved || renamed !== row) call.event('instance.updated', data)
  return data
}

async function recordBranch(
  { queries }: InstanceDeps,
  row: InstanceRow,
  branch: string,
): Promise<InstanceRow> {
  const isSame = row.selected_branch === branch && row.branch_override === branch && row.detached === 0
  return isSame
    ? row
    : queries.update(row.id, { selected_branch: branch, branch_override: branch, detached: 0 })
}

/** A worktree shares its branch with the repository that it belongs to (INS-083). */
function requireRenamable(row: InstanceRow): void {
  if (!rulesOf(row).isCreated || row.environment !== 'development' || row.source_layout !== 'checkout')
    throw fail('instance.rename_unavailable', {
      details: { status: row.status, environment: row.environment, source_layout: row.source_layout },
    })
}

/** Asks the checkout alone: the origin may not have the branch yet (INS-084). */
async function requireCheckedOut(
  checkout: Parameters<typeof directoryProblem>[0],
  row: InstanceRow,
  branch: string,
): Promise<void> {
  const answer = await checkout.session.ask(readHead, placeOf(row), { broken: stepFailed('branch') })
  if (answer.word !== 'read') throw directoryProblem(checkout, answer.word)
  if (answer.head === `refs/heads/${branch}`) return
  throw fail('instance.branch_not_checked_out', {
    details: { branch, ...(answer.head === '' ? {} : { head: answer.head }) },
  })
}
