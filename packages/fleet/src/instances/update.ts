import { invalid } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { requireProduction } from '#/instances/deploy-steps/list-of.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { presented } from '#/instances/require.ts'
import { isBranchName } from '#/projects/api.ts'

/** The branch of the next deployment; the source branch stays as it was (INS-007). The same branch again publishes nothing. */
export const makeUpdate =
  (deps: InstanceDeps): Handler<'instance:update'> =>
  async (request) => {
    const { call, input } = request
    const { row, project, node } = await requireProduction(deps, request)
    if (!isBranchName(input.branch)) throw invalid({ branch: ['must be a valid Git branch name'] })
    call.note.property('branch', input.branch)
    const isSame = (row.deployment_branch ?? row.selected_branch) === input.branch
    const changed = isSame ? row : await deps.queries.update(row.id, { deployment_branch: input.branch })
    const data = await presented(deps, changed, { project, node })
    if (!isSame) call.event('instance.updated', data)
    return { data }
  }
