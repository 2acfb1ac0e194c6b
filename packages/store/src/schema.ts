import type {
  ActivityStatus,
  ArtifactName,
  ClusterState,
  NodeData,
  NodeStatus,
  NodeUpdating,
  ProjectData,
  ProjectType,
  RoleAssignmentData,
  RoleName,
  RouteKind,
  RouteProvenance,
  RoutePublication,
  RouteStatus,
  SourceAccess,
} from '@fleet/contract'
import type { StepEvents } from '@fleet/steps'
import type { Generated, Insertable, Selectable } from 'kysely'
import type { Bit, Json, Sealed } from '#/column-types.ts'
import type { DatabaseTables } from '#/database-tables.ts'
import type { DependencyTables } from '#/dependency-tables.ts'
import type { FirewallTables } from '#/firewall-tables.ts'
import type { DeploymentsTable } from '#/deployment-tables.ts'
import type { InstanceRegistrationsTable, InstancesTable } from '#/instance-tables.ts'
import type { ProcessTables } from '#/process-tables.ts'
import type {
  DeployKeysTable,
  GitHostKeysTable,
  GithubAppsTable,
  GithubRegistrationsTable,
  ProjectUpdatesTable,
} from '#/project-tables.ts'
import type { RouteSetTables, TargetPhase, WebRootChange } from '#/route-set-tables.ts'
import type { ScheduleTables } from '#/schedule-tables.ts'
import type { ToolTables } from '#/tool-tables.ts'

export type {
  CloneRecord,
  CopyRecord,
  ProfileRecord,
  TransferRecord,
  TransferredDatabase,
} from '#/instance-tables.ts'
export type {
  RecordedDisposition,
  RecordedPool,
  RecordedSet,
  TargetPhase,
  WebRootChange,
} from '#/route-set-tables.ts'
export type { StoredRuntime } from '#/process-tables.ts'
export type { ProjectUpdateFound, ProjectValues } from '#/project-tables.ts'

/** Progress of a removal of a Node: the last event of each step, and what the steps found. */
export interface NodeRemovalRecord {
  readonly steps: StepEvents
  readonly outcome: {
    readonly peerRemoved: boolean
    readonly namesRemoved: number
    readonly agentLeft: boolean
    readonly resolverLeft?: boolean
  }
}

export interface NodesTable {
  id: Generated<number>
  name: string
  status: NodeStatus
  platform: NodeData['platform']
  architecture: string | null
  tld: string | null
  cluster_id: number | null
  public_ssh_host: string | null
  public_ssh_port: number | null
  /** Managed user that commands run as. */
  user: string
  /** Home of the managed user, observed on the machine. */
  user_home: string
  wireguard_ip: string | null
  wireguard_public_key: string | null
  wireguard_endpoint_override: string | null
  dns_server_override: string | null
  lan_ip: string | null
  ssh_host_fingerprint: string | null
  /** Port of sshd on the tunnel address. */
  ssh_port: number
  apps_path: string | null
  failed_step: string | null
  error_code: string | null
  /** SHA-256 of the agent secret, in hex; the secret itself is on the Node alone (AGT-013). */
  agent_secret_hash: string | null
  /** Progress of a removal that has begun; null when none has. */
  removal: Json<NodeRemovalRecord> | null
  /** What `updating` shows; null when nothing updates the Node. */
  updating: Json<NodeUpdating> | null
  /** When its first enrolment ended; null while that has not come to its end. */
  provisioned_at: string | null
  created_at: string
}

export interface NodeRolesTable {
  id: Generated<number>
  node_id: number
  role: RoleName
  status: RoleAssignmentData['status']
  failed_step: string | null
  error_code: string | null
  /** Credentials and options of the role; never returned (ROLE-033). */
  settings: Sealed | null
  /** When the claim or removal that runs, or died, began (ROLE-022). */
  claimed_at: string | null
  created_at: string
}

/** What was last applied of the footprint of a Node (NODE-121). */
export interface NodeArtifactsTable {
  node_id: number
  artifact: ArtifactName
  digest: string
  applied_at: string
}

/** A checkout whose Instance was removed while its Node did not answer. */
export interface InstanceResiduesTable {
  id: Generated<number>
  node_id: number
  instance_id: number
  checkout_path: string
  preparation_id: string
  quarantine_id: string
  created_at: string
}

export interface ToolManagersTable {
  id: Generated<number>
  node_id: number
  name: string
  status: 'provisioning' | 'active' | 'failed'
  installed_version: string | null
  failed_step: string | null
  error_code: string | null
  created_at: string
}

export interface NodeGrantsTable {
  consumer_node_id: number
  serving_node_id: number
  created_at: string
}

export interface NodeExclusionsTable {
  project_id: number
  node_id: number
  created_at: string
}

export interface ClustersTable {
  id: Generated<number>
  name: string
  tld: string | null
  state: ClusterState
  created_at: string
}

export interface ProjectsTable {
  id: Generated<number>
  slug: string
  name: string
  code: string
  type: ProjectType
  repository_url: string
  /** `host/path` in lower-case host form, without scheme, user, port or `.git` (PRJ-035). */
  repository_identity: string
  source_access: SourceAccess
  default_branch: string | null
  root: string | null
  defaults: Json<Record<string, unknown>> | null
  task_check: string | null
  task_workspace_routed: Bit
  task_compute: ProjectData['task_compute']
  review_and_merge: Bit
  merge_check: string | null
  created_at: string
}

export interface ProjectStepsTable {
  id: Generated<number>
  project_id: number
  list: 'setup' | 'teardown' | 'dev-deploy'
  name: string
  command: string
  timeout_seconds: number
  position: number
  created_at: string
  /** 0 for a step of deployments that may fail (DEPL-009). */
  required: Generated<Bit>
}

export interface EnvironmentValuesTable {
  instance_id: number
  key: string
  value: Sealed
  updated_at: string
}

export interface EnvironmentFilesTable {
  instance_id: number
  /** Names written at the last confirmed synchronization, and names removed from storage since. */
  known_keys: Json<readonly string[]>
  /** Names of a write that the Node has not confirmed; null when none is open. */
  pending_keys: Json<readonly string[]> | null
  synced_at: string | null
}

export interface ActivitiesTable {
  id: Generated<number>
  request_id: string
  command: string
  caller_node_id: number | null
  target_node_id: number | null
  caller_ip: string | null
  status: ActivityStatus
  duration_ms: number | null
  exit_code: number | null
  error_code: string | null
  subject_type: string | null
  subject_id: string | null
  properties: Json<Readonly<Record<string, unknown>>>
  occurred_at: string
}

export interface LocksTable {
  name: string
  token: string
  /** Gateway that holds it: its locks end with it. */
  gateway: string
  /** Operation that holds it, for the busy answer. */
  operation: string
  request_id: string
  since: string
  expires_at: string
}

/** What is to be done without a request. */
export interface WorkTable {
  id: Generated<number>
  kind: string
  /** Adding the same twice is one; null when each is another. */
  key: string | null
  /** JSON text: each kind parses its own. */
  payload: string
  /** Who asked for it; null for the system itself. No reference: work for a Node that is gone must end, not vanish. */
  caller_node_id: number | null
  status: 'waiting' | 'running' | 'dead'
  due_at: string
  /** Claims so far, the present one included. */
  attempts: Generated<number>
  /** Set when it was added again while it runs. */
  added_again: Generated<Bit>
  /** Of the Activities of all attempts. */
  request_id: string
  /** Of the claim that runs; null while it waits. */
  token: string | null
  gateway: string | null
  lease_expires_at: string | null
  /** What the last attempt failed with. */
  error_code: string | null
  created_at: string
}

/** A domain and what it leads to. */
export interface RoutesTable {
  id: Generated<number>
  kind: RouteKind
  project_id: number | null
  node_id: number | null
  cluster_id: number | null
  generation_basis_node_id: number | null
  domain: string
  web_root: string | null
  provenance: RouteProvenance
  publication: RoutePublication
  status: RouteStatus
  failed_step: string | null
  error_code: string | null
  replaces_route_id: number | null
  replaced_by_route_id: number | null
  replacement_step: string | null
  target_set_step: string | null
  /** How far it is on its way to the public and back; null for one that never was. */
  edge_step: 'public-activated' | 'ingress-firewall' | 'public-withdrawn' | null
  process_id: number | null
  upstream: string | null
  analytics_instance_id: number | null
  /** Its site belongs into the file of its Node. */
  has_site: Generated<Bit>
  /** Its name belongs into the private DNS. */
  has_name: Generated<Bit>
  /** Its PHP pool and the access to its web root belong on the Node of its Instance. */
  has_source: Generated<Bit>
  /** PHP that runs its directory; null without PHP. */
  php_version: string | null
  /** Another web root that the Node of its Instance is prepared for, or that it still has. */
  web_root_change: Json<WebRootChange> | null
  created_at: string
}

export interface RouteTargetsTable {
  id: Generated<number>
  route_id: number
  instance_id: number
  position: number
  /** On its way into the pool or out of it. */
  phase: TargetPhase | null
}

/** A Router that serves a Route, or is about to. */
export interface RouteRoutersTable {
  id: Generated<number>
  route_id: number
  node_id: number
  leaf_scope: string
  /** Its site belongs into the file of the Router. */
  has_site: Generated<Bit>
}

/**
 * What a removed Route left on a Node that was skipped; its certificate is named `route-<id>` without a `leaf_scope`. Of production
 * with the release that its web server may read, and the user who owns it.
 */
export interface RouteResiduesTable {
  id: Generated<number>
  node_id: number
  route_id: number
  domain: string
  retained_steps: Json<readonly string[]>
  attempts: Generated<number>
  leaf_scope: string | null
  source_path: string | null
  source_user: string | null
  created_at: string
}

export interface FactsTable {
  name: string
  value: string
}

export interface Tables
  extends
    DependencyTables,
    DatabaseTables,
    ProcessTables,
    RouteSetTables,
    ScheduleTables,
    ToolTables,
    FirewallTables {
  nodes: NodesTable
  node_roles: NodeRolesTable
  node_grants: NodeGrantsTable
  node_exclusions: NodeExclusionsTable
  node_artifacts: NodeArtifactsTable
  tool_managers: ToolManagersTable
  clusters: ClustersTable
  projects: ProjectsTable
  project_steps: ProjectStepsTable
  project_updates: ProjectUpdatesTable
  deploy_keys: DeployKeysTable
  git_host_keys: GitHostKeysTable
  github_apps: GithubAppsTable
  github_registrations: GithubRegistrationsTable
  instances: InstancesTable
  deployments: DeploymentsTable
  instance_residues: InstanceResiduesTable
  routes: RoutesTable
  route_targets: RouteTargetsTable
  route_residues: RouteResiduesTable
  route_routers: RouteRoutersTable
  instance_registrations: InstanceRegistrationsTable
  environment_values: EnvironmentValuesTable
  environment_files: EnvironmentFilesTable
  activities: ActivitiesTable
  locks: LocksTable
  work: WorkTable
  facts: FactsTable
}

/** A stored row as queries return it. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>
/** A row as an insert takes it. */
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>
