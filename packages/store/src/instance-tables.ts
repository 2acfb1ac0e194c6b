import type {
  DeploymentStepData,
  InstanceData,
  InstanceStatus,
  RemovalProgress,
  RemovalStep,
  SharedDatabase,
  TransferProgress,
} from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Bit, Json } from '#/column-types.ts'

/** What the source of an Instance is. */
export interface ProfileRecord {
  readonly application_directory: string
  readonly framework: 'laravel' | 'symfony' | null
  readonly php: boolean
  /** Of a production Instance with PHP: `8.2`. */
  readonly php_version?: string
}

export interface CloneRecord {
  readonly preview_name: string
  /** As requested; null for that of the candidate. */
  readonly branch: string | null
  readonly sqlite_source_path: string | null
  /** The commit, or the release, that the candidate had when its clone began. */
  readonly candidate_source: string
  /** Finished steps by name, in order. */
  readonly done: readonly string[]
}

/** A transfer to another Node, from its acceptance on; a later one replaces it. */
export interface TransferRecord {
  /** Also names the receipt of the checkout on the destination Node: nothing of the source proves to be this one. */
  readonly operation_id: string
  readonly source_preparation_id: string
  /** As requested; null for the name that the Instance has. */
  readonly requested_name: string | null
  readonly source_node_id: number
  readonly source_path: string
  readonly destination_node_id: number
  readonly destination_name: string
  readonly destination_path: string
  readonly destination_domain: string
  readonly status: TransferProgress['status']
  /** The last event of each step. */
  readonly steps: Readonly<Record<string, string>>
  readonly failed_step: TransferProgress['failed_step']
  readonly error_code: string | null
  /** Of the content that was copied; null before it was compared. */
  readonly content_digest: string | null
  /** The database that is carried by itself; undefined without one. */
  readonly sqlite?: TransferredDatabase | undefined
}

export interface TransferredDatabase {
  readonly source_path: string
  readonly destination_path: string
  /** Both places are in the checkout, where the old file is deleted with it. */
  readonly is_inside: boolean
  /** SHA-256 of what was carried; null before it was. */
  readonly digest: string | null
}

/** What a development copy is made from (INS-072). */
export interface CopyRecord {
  /** As it was when the copy was requested. */
  readonly source: {
    readonly id: number
    readonly name: string
    readonly path: string
    /** Of its own Route. */
    readonly domain: string | null
  }
  /** Null before its checkout is copied. */
  readonly mode: InstanceData['copy_mode']
  /** The databases that it was given together with its source. */
  readonly shared: readonly SharedDatabase[]
}

export interface InstancesTable {
  id: Generated<number>
  project_id: number
  node_id: number
  name: string
  environment: InstanceData['environment']
  source_layout: InstanceData['source_layout']
  checkout_path: string
  production_user: string | null
  production_home: string | null
  root: string | null
  selected_branch: string | null
  branch_override: string | null
  starting_commit: string | null
  detached: Bit
  migration_required: Bit
  status: InstanceStatus
  vite_port: number | null
  /** Proves on the Node that this record's attempt owns the directory (INS-053). */
  preparation_id: string
  /** What its source is; null until examined. */
  profile: Json<ProfileRecord> | null
  failed_step: string | null
  error_code: string | null
  /** `pending` from activation until the setup list has run to its end; `repeated` while a later request runs it again. */
  setup: 'pending' | 'repeated' | null
  /** Names of the setup steps that this run has finished. */
  setup_done: Json<readonly string[]> | null
  /** Of production, in the order of their run; null without any. */
  deploy_steps: Generated<Json<readonly DeploymentStepData[]> | null>
  /** What deployments take the latest commit of; that of the source when null (INS-026). */
  deployment_branch: Generated<string | null>
  /** The release that `current` leads to, by name; null before the first deployment. */
  selected_release: Generated<string | null>
  /** The Instance that this production one is cloned from; null for one that is not cloned. */
  clone_candidate_id: Generated<number | null>
  /** What its clone asked for and how far it came (INS-106). */
  clone: Generated<Json<CloneRecord> | null>
  /** Slug of the server that the creation named. */
  database_server: string | null
  /** What the creation has yet to provide: a database on that server, a copy of that of the default Instance, or all that the source of a copy has. */
  database_pending: 'server' | 'clone' | 'copy' | null
  transfer: Generated<Json<TransferRecord> | null>
  creation: Generated<InstanceData['creation']>
  copy: Generated<Json<CopyRecord> | null>
  /** Of a linked worktree: the Instance with its repository. */
  worktree_of: Generated<number | null>
  /** Of a development `default`: what its last deployment that succeeded brought there. */
  seed_commit: Generated<string | null>
  removal_operation_id: string | null
  removal_force: Bit | null
  removal_status: RemovalProgress['status'] | null
  removal_step: RemovalStep | null
  removal_completed: number | null
  removal_error_code: string | null
  removal_started_at: string | null
  created_at: string
}

/** An Instance that was somebody's checkout before. */
export interface InstanceRegistrationsTable {
  instance_id: number
  /** Where it was, on the Node of the Instance. */
  source_path: string
  /** It was copied from another file system, and is to be removed there. */
  has_copy: Generated<Bit>
}
