import type { Handler } from '#/handler.ts'
import type { InstanceParts } from './parts.ts'
import { presented, requireInstance } from './require.ts'

export const makeShow =
  (parts: InstanceParts): Handler<'instance:show'> =>
  async ({ call, input, found }) => {
    const { row, project, node } = found?.instance ?? (await requireInstance(parts, input.instance))
    call.note.subject('instance', row.id)
    return { data: await presented(parts, row, { project, node }) }
  }
