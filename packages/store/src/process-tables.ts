import type {
  DesiredState,
  ProcessRuntime,
  ProcessStatus,
  RestartPolicy,
  RuntimeConfig,
} from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Bit, Json } from '#/column-types.ts'

/** A command that keeps running, of an Instance or of a Node. */
interface ProcessesTable {
  id: Generated<number>
  instance_id: number | null
  node_id: number | null
  name: string
  runtime: ProcessRuntime
  runtime_config: Json<RuntimeConfig>
  /** Null: the default of its owner. */
  working_directory: string | null
  /** Null: that of its owner. */
  account: string | null
  restart_policy: RestartPolicy
  keep_alive: Bit
  desired_state: DesiredState
  status: ProcessStatus
  failed_step: string | null
  error_code: string | null
  /** Read after the last start, stop or restart, and when. */
  observed_status: string | null
  observed_at: string | null
  created_at: string
}

/** The unit of a removed Process on a Node that was skipped. */
interface ProcessResiduesTable {
  id: Generated<number>
  node_id: number
  process_id: number
  name: string
  created_at: string
}

export interface ProcessTables {
  processes: ProcessesTable
  process_residues: ProcessResiduesTable
}
