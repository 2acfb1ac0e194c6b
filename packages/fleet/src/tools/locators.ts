import type { LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { findTool } from '#/tools/queries.ts'
import type { ToolRecord } from '#/tools/record.ts'
import { fail } from '@fleet/contract'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{tool}': ToolRecord
  }
}

export type ToolLocators = LocatorsOf<'{tool}'>
type Deps = Pick<ToolsDeps, 'store' | 'nodes'>

export const makeToolLocators = (deps: Deps): ToolLocators => ({
  '{tool}': byPathId((id) => findRecord(deps, id)),
})

export async function findRecord({ store, nodes }: Deps, id: number): Promise<ToolRecord | undefined> {
  const row = await findTool(store.db, id)
  const node = row && (await nodes.find(row.node_id))
  return row && node && { ...row, node }
}

/** The Tool as it is now. Throws `tool.not_found`. */
export async function requireTool(deps: Deps, id: number): Promise<ToolRecord> {
  const tool = await findRecord(deps, id)
  if (!tool) throw fail('tool.not_found')
  return tool
}
