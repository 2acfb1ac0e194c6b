import type { ToolData, ToolStatus } from '@fleet/contract'
import type { ToolRow } from '#/tools/record.ts'

/** The record without times: the only way out of the domain (TLX-009). */
export const presentTool = (
  row: Omit<ToolRow, 'created_at' | 'status'> & { readonly status: ToolStatus },
): ToolData => ({
  id: row.id,
  node_id: row.node_id,
  manager: row.manager,
  package: row.package,
  version_constraint: row.version_constraint,
  status: row.status,
  installed_version: row.installed_version,
  failed_operation: row.failed_operation,
  error_code: row.error_code,
  outcome: row.outcome,
})
