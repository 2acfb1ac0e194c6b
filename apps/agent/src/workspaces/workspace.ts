/** A checkout to watch (AGT-005). */
export interface WantedWorkspace {
  readonly instance_id: number
  readonly path: string
  readonly base: string
  readonly start: string | null
}

/** How far a checkout is (AG-033, AGT-023 to AGT-028). */
export interface WorkspaceState {
  readonly instance_id: number
  readonly base: string
  readonly start: string | null
  readonly branch: string | null
  readonly head: string | null
  readonly dirty: boolean | null
  readonly commits: number | null
  readonly diff: WorkspaceDiff | null
}

export interface WorkspaceDiff {
  readonly files: number
  /** Null where there are too many files to count lines. */
  readonly added: number | null
  readonly removed: number | null
  readonly truncated: boolean
}
