import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { presentTool } from '#/tools/present.ts'
import { toolsOn } from '#/tools/queries.ts'

export const makeList =
  ({ store, nodes }: ToolsDeps): Handler<'tool:list'> =>
  async ({ call, input }) => {
    if (!(await nodes.find(input.node_id))) throw fail('node.not_found')
    call.note.target(input.node_id)
    return { data: (await toolsOn(store.db, input.node_id)).map(presentTool) }
  }
