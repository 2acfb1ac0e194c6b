export type Ecosystem = 'composer' | 'npm'
export type Scope = 'regular' | 'development'

/** One package in one version, as the lock resolves it. npm and Bun may resolve the same version at several places. */
export interface Resolution {
  /** Unique within its graph; never an address, which could hold a credential. */
  readonly id: string
  /** The canonical name: of an alias, the name of the package behind it. */
  readonly name: string
  /** As locked; not always a semantic version. */
  readonly version: string
  /** The root reaches it through its regular requirements. */
  readonly regular: boolean
  /** The root reaches it through its development requirements. */
  readonly development: boolean
  /** The revision of a source repository. */
  readonly reference: string | undefined
  readonly integrity: string | undefined
}

/** One requirement: an edge of the graph. */
export interface Requirement {
  /** Id of the resolution that requires; undefined for the root. */
  readonly source: string | undefined
  /** Id of the resolution that satisfies it; undefined where nothing in the lock does. */
  readonly target: string | undefined
  /** As declared: of an alias, the alias. */
  readonly name: string
  /**
   * As declared, without credentials of an address; `*` where nothing is declared. pnpm locks only the version that was
   * chosen for requirements of packages.
   */
  readonly constraint: string
  readonly kind: 'dependency' | 'peer'
  /** `development` only from the root: development requirements of packages install nothing (DEX-022). */
  readonly scope: Scope
  readonly optional: boolean
}

export interface Graph {
  readonly ecosystem: Ecosystem
  readonly resolutions: readonly Resolution[]
  readonly requirements: readonly Requirement[]
}
