import { fail, toolManagers, type ToolManagerData } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { isSupported } from '#/tools/managers/catalogue.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { managersOn } from '#/tools/queries.ts'

/** Every manager that the platform of the Node has; one without a record is `uninstalled` (TLX-012). */
export const makeManagerList =
  ({ store, nodes }: ToolsDeps): Handler<'tool:manager:list'> =>
  async ({ call, input }) => {
    const node = await nodes.find(input.node_id)
    if (!node) throw fail('node.not_found')
    call.note.target(node.id)
    const rows = new Map((await managersOn(store.db, node.id)).map((row) => [row.name, row]))
    const data = toolManagers
      .filter((name) => isSupported(name, node.platform))
      .map((name): ToolManagerData => {
        const row = rows.get(name)
        return {
          id: row?.id ?? null,
          node_id: node.id,
          name,
          status: row?.status ?? 'uninstalled',
          installed_version: row?.installed_version ?? null,
          failed_step: row?.failed_step ?? null,
          error_code: row?.error_code ?? null,
        }
      })
    return { data }
  }
