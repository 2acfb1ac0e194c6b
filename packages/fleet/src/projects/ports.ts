import type { Secret } from '@fleet/kernel'
import type { ProjectValues } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { GitReason } from '#/projects/git-reason.ts'
import type { ProjectRecord } from '#/projects/record.ts'
import type { SourceLogin } from '#/source-host/api.ts'
import type { ProjectUpdateRow } from '#/projects/update-records.ts'

/** What Projects need from the domain of Instances, which is above them. */
export interface InstancePlacements {
  /** Ids of the Nodes that run an Instance of the Project, each once. */
  nodeIdsOf(projectId: number): Promise<readonly number[]>
  /** For lists: Project id to Node ids. */
  nodeIdsByProject(): Promise<ReadonlyMap<number, readonly number[]>>
  countOf(projectId: number): Promise<number>
}

/** What an update changes of a Project that has Instances. */
export interface SourceChange {
  readonly project: ProjectRecord
  /** Members of the request. */
  readonly requested: ProjectUpdateRow['requested']
  readonly values: ProjectValues
  /** Throws for values that cannot be had. Changes nothing. */
  check(): Promise<void>
}

/** What of an Instance the type of its Project decides about. */
export interface TypedInstance {
  readonly id: number
  readonly name: string
  /** Its own; null where it has that of the Project. */
  readonly root: string | null
  readonly isActive: boolean
  /** One of its own, also one that is planned. */
  readonly hasRoute: boolean
}

/** How Instances follow their Project; filled from above. */
export interface SourceChanges {
  /** All that are not being removed, by id. */
  instancesOf(projectId: number): Promise<readonly TypedInstance[]>
  /**
   * Runs the work while no Instance of the Project is created, set up or removed and nobody else changes the Project. Throws
   * `instance.lifecycle_busy` and `project.lifecycle_busy`.
   */
  holding<T>(call: Call, projectId: number, work: (instances: number) => Promise<T>): Promise<T>
  /** Begins the change inside `holding`. Throws what stopped it: before it is published everything is as it was (PRJ-044). */
  begin(call: Call, change: SourceChange): Promise<ProjectRecord>
  /** Finishes one that an earlier request began and left, or begins it again. */
  resume(call: Call, open: ProjectUpdateRow, change: SourceChange): Promise<ProjectRecord>
}

/** Reading of Git remotes from the gateway; each question takes at most 30 s. */
export interface RemoteGit {
  /** The branch that HEAD of the remote names. Throws RemoteUnreadable. */
  defaultBranch(login: SourceLogin, signal: AbortSignal): Promise<string>
  /** Throws RemoteUnreadable. */
  hasBranch(login: SourceLogin, branch: string, signal: AbortSignal): Promise<boolean>
  /** The token of the GitHub command line on the gateway, asked for each use; undefined without a usable login (PRJ-038). */
  githubToken(signal: AbortSignal): Promise<Secret | undefined>
}

/** The remote did not answer, refused, or answered nothing that names a branch. Holds nothing of what it said. */
export class RemoteUnreadable extends Error {
  override readonly name = 'RemoteUnreadable'
  /** Undefined where Git's complaint is none of the known ones. */
  readonly gitReason: GitReason | undefined
  constructor(
    message: string,
    { gitReason, cause }: { gitReason?: GitReason | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.gitReason = gitReason
  }
}
