import type { SourceAccess } from '@fleet/contract'
import type { GitReason } from '#/projects/git-reason.ts'

/** What Projects need from the domain of Instances, which is above them. */
export interface InstancePlacements {
  /** Ids of the Nodes that run an Instance of the Project, each once. */
  nodeIdsOf(projectId: number): Promise<readonly number[]>
  /** For lists: Project id to Node ids. */
  nodeIdsByProject(): Promise<ReadonlyMap<number, readonly number[]>>
  countOf(projectId: number): Promise<number>
}

/** A Git remote and how the gateway may read it. */
export interface RemoteSource {
  readonly url: string
  readonly access: SourceAccess
}

/** Reading of Git remotes from the gateway; each question takes at most 30 s. */
export interface RemoteGit {
  /** The branch that HEAD of the remote names. Throws RemoteUnreadable. */
  defaultBranch(source: RemoteSource, signal: AbortSignal): Promise<string>
  /** Throws RemoteUnreadable. */
  hasBranch(source: RemoteSource, branch: string, signal: AbortSignal): Promise<boolean>
  /** True when the GitHub command line on the gateway has a usable login (PRJ-038). */
  hasGithubLogin(signal: AbortSignal): Promise<boolean>
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
