import type { Json } from '#/column-types.ts'

/** Where a target is on its way into a pool or out of it; null for one that is simply in the pool. */
export type TargetPhase = 'reserved' | 'joining' | 'joined' | 'leaving'

/** A set of targets that a request asked for, kept until all of it is done. */
export interface RouteTargetSetsTable {
  route_id: number
  target_set: Json<RecordedSet>
  created_at: string
}

export interface RecordedSet {
  /** Ids of Instances, in their order. */
  readonly targets: readonly number[]
  readonly dispositions: readonly RecordedDisposition[]
  /** The targets of each Route concerned: as they were, and as they are to be. */
  readonly pools: readonly RecordedPool[]
}

/** What becomes of an Instance that leaves the pool: it serves another Route, or null: it is removed. */
export interface RecordedDisposition {
  readonly instance_id: number
  readonly route_id: number | null
}

export interface RecordedPool {
  readonly route_id: number
  readonly before: readonly number[]
  readonly after: readonly number[]
}

/** The other web root of a Route whose web root changes, until nothing of it is left. */
export interface WebRootChange {
  /**
   * `wanted`: it is prepared and takes the place of the present one. `left`: it was served, and its pool and access stay until the
   * site is built. `leaving`: it is withdrawn.
   */
  readonly phase: 'wanted' | 'left' | 'leaving'
  readonly web_root: string | null
  readonly php_version: string | null
}

export interface RouteSetTables {
  route_target_sets: RouteTargetSetsTable
}
