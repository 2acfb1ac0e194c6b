import type { StoredToolStatus, ToolManagerName, ToolOperationName, ToolOutcome } from '@fleet/contract'
import type { Generated } from 'kysely'

/** A package of a Node that Fleet installed or adopted. */
interface ToolsTable {
  id: Generated<number>
  node_id: number
  manager: ToolManagerName
  package: string
  version_constraint: string | null
  status: StoredToolStatus
  /** As the manager prints it. */
  installed_version: string | null
  failed_operation: ToolOperationName | null
  error_code: string | null
  outcome: ToolOutcome | null
  created_at: string
}

export interface ToolTables {
  tools: ToolsTable
}
