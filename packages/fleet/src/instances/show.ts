import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from './deps.ts'
import { presented, requireInstance } from './require.ts'

export const makeShow =
  (deps: InstanceDeps): Handler<'instance:show'> =>
  async ({ call, input, found }) => {
    const { row, project, node } = found?.instance ?? (await requireInstance(deps, input.instance))
    call.note.subject('instance', row.id)
    return { data: await presented(deps, row, { project, node }) }
  }
