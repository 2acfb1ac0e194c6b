import type { NodeRecord } from '#/nodes/api.ts'

/** A checkout with the directories that Routes serve of it. */
export interface ServedCheckout {
  /** Absolute. */
  readonly checkoutPath: string
  /** Repository-relative; `.` or empty for the repository root. */
  readonly webRoots: readonly string[]
}

/** A domain above whose records say what is served. */
export interface ServedSource {
  /** Every checkout of the Node of which a Route serves something, as the records are now. */
  servedOn(node: NodeRecord): Promise<readonly ServedCheckout[]>
}
