import type {
  DeployKeyData,
  GitHostData,
  ProjectData,
  ProjectType,
  ProjectUpdateState,
  SourceAccess,
} from '@fleet/contract'
import type { StepEvents } from '@fleet/steps'
import type { Bit, Json, Sealed } from '#/column-types.ts'
import type { Generated } from 'kysely'

/** Columns of a Project, as an update gives them or had found them. */
export interface ProjectValues {
  readonly slug?: string
  readonly type?: ProjectType
  readonly repository_url?: string
  readonly repository_identity?: string
  readonly source_access?: SourceAccess
  readonly default_branch?: string | null
  readonly root?: string | null
  readonly task_check?: string | null
  readonly task_workspace_routed?: Bit
  readonly task_compute?: ProjectData['task_compute']
  readonly review_and_merge?: Bit
  readonly merge_check?: string | null
}

/** What an update found before it changed anything, and has to know to undo it. */
export interface ProjectUpdateFound {
  /** URL of `origin`, by the id of the Instance, where another one follows it: such a URL is proven to hold no credential. */
  readonly origins: Readonly<Record<string, string>>
  /** Ids of Instances whose checkout was asked; absent in records of before, which have an origin of each. */
  readonly seen?: readonly number[]
  /** Ids of Instances whose checkout had the next branch already. */
  readonly branches: readonly number[]
  /** Ids of Instances whose checkout was on it. */
  readonly switched: readonly number[]
  /** Production Instances of the Project, each as one text, by id. */
  readonly production: Readonly<Record<string, string>>
}

/** The last update of each Project that changed what its Instances were created from. */
export interface ProjectUpdatesTable {
  project_id: number
  state: ProjectUpdateState
  /** Members of the request as they were sent. */
  requested: Json<Readonly<Record<string, unknown>>>
  /** What it gives the Project. */
  next_values: Json<ProjectValues>
  /** What that was before. */
  previous_values: Json<ProjectValues>
  found: Json<ProjectUpdateFound>
  /** The last event of each step. */
  step_events: Json<StepEvents>
  failed_step: string | null
  error_code: string | null
  started_at: string
  finished_at: string | null
}

/** With what the repository of a Project is read over SSH. At most one of each status for a Project. */
export interface DeployKeysTable {
  id: Generated<number>
  /** Null until the Project exists: the key is made before its repository can be read. */
  project_id: number | null
  /** Identity of the one that a Project is to be created of, and null from then on. */
  repository: string | null
  status: DeployKeyData['status']
  /** Bound to its fingerprint. */
  private_key: Sealed
  public_key: string
  fingerprint: string
  created_at: string
}

/** What the SSH server of a Git host has to prove. */
export interface GitHostKeysTable {
  id: Generated<number>
  host: string
  port: number
  type: string
  /** Base64 of its wire format. */
  public_key: string
  fingerprint: string
  trust: GitHostData['keys'][number]['trust']
  recorded_at: string
}

/** The app that this gateway is at GitHub. */
export interface GithubAppsTable {
  /** Always 1. */
  id: number
  app_id: number
  slug: string
  name: string
  /** Account that it belongs to. */
  owner: string
  /** Its page at GitHub. */
  url: string
  /** Bound to `app_id`. */
  private_key: Sealed
  created_at: string
}

/** What a person was sent to GitHub with and has not come back from. */
export interface GithubRegistrationsTable {
  /** Always 1. */
  id: number
  /** SHA-256 of the state in hex: whoever reads the database cannot go on with the registration. */
  state_digest: string
  name: string
  /** Organization that the app is to belong to; null for the account of the person. */
  owner: string | null
  expires_at: string
}
