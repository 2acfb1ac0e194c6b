import type {
  DesiredState,
  ProcessConnection,
  ProcessPreset,
  ProcessRuntime,
  ProcessStatus,
  ProcessVolume,
  RestartPolicy,
} from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Bit, Json, Sealed } from '#/column-types.ts'

/** What a Process runs; the variables of a container are sealed in a column of their own. */
export interface StoredRuntime {
  readonly command: readonly string[]
  readonly preset: ProcessPreset | null
  /** Absent for a unit of systemd. */
  readonly container?: {
    readonly image: string
    readonly ports: readonly string[]
    readonly volumes: readonly ProcessVolume[]
    /** Names of its variables. */
    readonly variables: readonly string[]
  }
  /** Database connections that it depends on; absent for none. */
  readonly connections?: readonly ProcessConnection[]
}

/** A command that keeps running, of an Instance or of a Node. */
interface ProcessesTable {
  id: Generated<number>
  instance_id: number | null
  node_id: number | null
  name: string
  runtime: ProcessRuntime
  runtime_config: Json<StoredRuntime>
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
  /** JSON array of the `NAME=VALUE` of a container; null for none. */
  variables: Sealed | null
  /** Of the definition that it is a copy of; null for a Process of a caller. */
  definition_id: string | null
  /** JSON array of what it got of its connections when it last started or, not running, was installed; null for nothing. */
  connection_values: Sealed | null
}

/** The unit or container of a removed Process on a Node that was skipped. */
interface ProcessResiduesTable {
  id: Generated<number>
  node_id: number
  process_id: number
  name: string
  created_at: string
  runtime: ProcessRuntime
}

/** What a Project copies onto its production Instances, of either kind; each kind reads its own `spec`. */
interface ProjectDefinitionsTable {
  /** UUID. */
  id: string
  project_id: number
  kind: 'process' | 'schedule'
  name: string
  environments: Json<readonly ('development' | 'production')[]>
  spec: Json<Readonly<Record<string, unknown>>>
  /** JSON array of the `NAME=VALUE` of a container; null for none. */
  variables: Sealed | null
  created_at: string
}

export interface ProcessTables {
  project_definitions: ProjectDefinitionsTable
  processes: ProcessesTable
  process_residues: ProcessResiduesTable
}
