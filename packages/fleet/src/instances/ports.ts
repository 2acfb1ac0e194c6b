import type { DatabaseConnectionData, RemovalData, RouteData } from '@fleet/contract'
import type { Database, Row } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { PlannedScope } from '#/clusters/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { Placement } from './guards.ts'
import type { InstanceRow } from './queries.ts'
import type { InstanceRecord } from './record.ts'

/** What a creation says about the Route of its Instance. */
export interface WantedRoute {
  readonly name: string
  /** As the request has it; undefined for a generated one. */
  readonly domain: string | undefined
  /** The web root of the Instance. */
  readonly effectiveRoot: string
}

/** What a clone says about its preview. */
export interface WantedPreview {
  /** First labels of the domain. */
  readonly previewName: string
  readonly effectiveRoot: string
}

/** A Route that a creation reserves. */
export interface PlannedRoute {
  readonly domain: string
  readonly provenance: RouteData['provenance']
  readonly generationBasisNodeId: number | null
  /** The active Cluster of the Node, whose Router serves it; null for a Node that serves its own Routes. */
  readonly clusterId: number | null
  /** What a generated domain ends in; undefined for any other. */
  readonly tld?: string | null
}

/** What Instances need from Routes, which are above them. */
export interface InstanceRoutes {
  /**
   * What the creation reserves: nothing for a Project that needs no Route and a request without a domain. Changes nothing. Throws
   * `route.tld_required`, `route.domain_invalid`, `route.domain_conflict`, `route.router_required`, `route.node_inactive`,
   * `route.target_web_root_unsupported` and `node.capability_missing` (INS-061).
   */
  plan(placement: Placement, wanted: WantedRoute): Promise<PlannedRoute | undefined>
  /**
   * The preview of a clone: private, explicit, below the top-level domain of the Node itself (INS-103). Nothing for a type that needs no
   * Route. Changes nothing. Throws as `plan` does.
   */
  planPreview(placement: Placement, wanted: WantedPreview): Promise<PlannedRoute | undefined>
  /** In the transaction that stores the Instance. Throws `route.domain_conflict`, and `route.busy` where the Node has another scope by now; both roll it back (INS-017). */
  reserve(db: Database, row: InstanceRow, planned: PlannedRoute): Promise<void>
  /** Serves the reserved Route: its name is answered last, then it is active. Does nothing for an Instance without one. */
  publish(session: NodeSession, row: InstanceRow): Promise<void>
  /** Takes back what `publish` did, as far as it came. The Route stays reserved. */
  unpublish(session: NodeSession, row: InstanceRow): Promise<void>
  /**
   * Removes every Route of the Instance; until its own one is gone, its domain answers 503 (INS-114). Those with a web root go
   * first (RTE-151). With `silent`, Routers that do not answer are skipped and added to it: what they keep is recorded.
   */
  remove(session: NodeSession, row: InstanceRow, silent?: NodeRecord[]): Promise<void>
  /**
   * What every Route of the Instance becomes when it has this Node and name; the own one first. Changes nothing. Throws
   * `instance.lifecycle_conflict` without one own Route that is active and settled, `instance.standalone_unsupported`,
   * `instance.transfer_source_router_unknown`, what planning a Route throws, and the codes of PHP where the next Node has none that
   * its source accepts.
   */
  planMove(instance: InstanceRecord, how: HowToMove): Promise<readonly PlannedMove[]>
  /** In the transaction that moves the Instance. Throws `route.busy` where its next Node has another scope by now. */
  move(db: Database, planned: readonly PlannedMove[]): Promise<void>
  /** Publishes what the Routes of an Instance that moved are now (EV-050). */
  tellMoved(call: Call, instanceId: number): Promise<void>
  /** No name of the Instance is answered any more; its Node is not asked. */
  withdrawNames(call: Call, instanceId: number): Promise<void>
  /** Deletes what is stored of the Routes of an Instance that is deleted in the same transaction. */
  forget(db: Database, instanceId: number): Promise<void>
  /** The same for an Instance whose Node keeps what it serves, which is recorded (RTE-177). */
  leaveBehind(db: Database, call: Call, instanceId: number): Promise<void>
  /**
   * Replaces the own Route of the Instance by one with another domain; false when it has that domain already. The identical call
   * resumes one that did not finish. Throws `instance.route_required`, `route.domain_change_conflict`, `route.domain_conflict`,
   * `route.domain_invalid` and `instance.source_profile_missing`.
   */
  changeDomain(call: Call, row: Pick<InstanceRow, 'id'>, domain: string): Promise<boolean>
  /** The own Route of each of these Instances; of all that have one without them. */
  own(instanceIds?: readonly number[]): Promise<ReadonlyMap<number, RouteData>>
  /** Ids of the Instances that a domain leads to, in order; none for a domain of nobody. */
  targetsOf(domain: string): Promise<readonly number[]>
}

/** A move that is planned. */
export interface HowToMove {
  /** It was accepted before. */
  readonly isOpen: boolean
  readonly source: NodeSession
  readonly destination: NodeSession
}

/** What a Route becomes whose Instance moves to another Node. */
export interface PlannedMove {
  readonly routeId: number
  readonly isOwn: boolean
  readonly domain: string
  readonly node_id: number | null
  readonly cluster_id: number | null
  readonly generation_basis_node_id: number | null
  /** Of the Node that it moves to. */
  readonly scope: PlannedScope
  /** The version of that Node that runs its directory. */
  readonly php_version: string | null
}

/** A checkout on its Node. */
export interface CheckoutAt {
  readonly nodeId: number
  readonly path: string
}

/** What a transfer needs from what is above Instances. The operation lock of the Instance is held. */
export interface InstanceMoves {
  /**
   * Throws what would stop it after the cutover, where nothing goes back: what its `.env` has that writing it anew would lose, or a
   * Node that lacks what runs one of its Processes. Changes nothing.
   */
  requireReady(
    ends: { readonly source: NodeSession; readonly destination: NodeSession },
    instanceId: number,
  ): Promise<void>
  /** Installs its Processes on the Node of the session and starts those that are to run. May be repeated. */
  resume(session: NodeSession, instanceId: number): Promise<void>
  /** Removes units and containers of its Processes from a Node that it has left; the records stay. May be repeated. */
  withdraw(session: NodeSession, instanceId: number): Promise<void>
  /**
   * Tells the Node that it moves to whether its dependencies were removed while it slept, so that `resume` has them installed there.
   * Without a Node that it comes from, the other one forgets what it was told. May be repeated.
   */
  carrySleep(from: NodeSession | undefined, to: NodeSession, instanceId: number): Promise<void>
  /** The Schedules that have it as their target. */
  schedulesOf(instanceId: number): Promise<readonly { readonly id: string; readonly name: string }[]>
  /**
   * In the transaction that moves the Instance: records of SQLite files in its checkout, and stored values that are paths in it, name
   * the new place. Answers the records, which are published once it has moved. Throws `env.configuration_invalid` when the values
   * cannot be read.
   */
  relocate(
    db: Database,
    instanceId: number,
    move: { readonly from: CheckoutAt; readonly to: CheckoutAt },
  ): Promise<readonly DatabaseConnectionData[]>
  /** Writes its `.env` under the domain that it is about to have; does nothing without stored values. */
  rebuildEnvironment(call: Call, instanceId: number, domain: string): Promise<void>
}

/** What a creation provides before the setup steps. */
export type PlannedDatabase = NonNullable<InstanceRow['database_pending']>

/** What the creation of an Instance needs from databases, which are above it. */
export interface CreationDatabases {
  /**
   * What the creation is to provide: a database on the server that the request names, a copy of that of the default Instance, or
   * nothing. Changes nothing. Throws `database.server_missing`, `database.server_inactive`, `database.slug_conflict`,
   * `instance.database_clone_unsupported` and `node_access.required`.
   */
  plan(
    call: Call,
    placement: Placement,
    wanted: { readonly name: string; readonly server: string | undefined },
  ): Promise<PlannedDatabase | undefined>
  /** Creates and attaches it, copies the data and writes the environment files. The same call finishes one that was interrupted. */
  provide(session: NodeSession, row: InstanceRow): Promise<void>
  /** Whether an error of `provide` means that the server of the database does not answer, although its Node does. */
  isServerSilent(error: unknown): boolean
}

/** A database that goes with an Instance. */
export type RemovedDatabase = Row<'database_connections'>

/** What a removal needs of the databases that go with Instances. */
export interface OwnedDatabases {
  /** Those that they own, and other SQLite files in their checkouts, of which the records stay. */
  ownedBy(instanceIds: readonly number[]): Promise<readonly RemovedDatabase[]>
  /** Throws `database.connection_attached` when anybody but these Instances uses one of them, unless that is being removed too. */
  requireUnused(owned: readonly RemovedDatabase[], instanceIds: readonly number[]): Promise<void>
  /**
   * The same of attachments and Processes, in the transaction that records the removal of the Instance: whoever begins to use one of its
   * databases is seen here, or waits for that transaction and is refused (decision 0376).
   */
  holdUnused(tx: Database, instanceId: number, instanceIds: readonly number[]): Promise<void>
  /** Those that stay on a server that did not answer. */
  retainedOf(removed: readonly RemovedDatabase[]): Promise<RemovalData['retained_on_nodes']>
}

export interface InstancePlaces {
  readonly instanceId: number
  /** Nodes that may have something of it. */
  readonly nodeIds: readonly number[]
}

/** Copies of the definitions of a Project, which its production Instances get. */
export interface InstanceDefinitions {
  /**
   * Throws what would stop `copy` on this Node for as long as Node and definitions are as they are: `node.capability_missing`,
   * `schedule.calendar_invalid` and the codes of a connection that is not there. Changes nothing.
   */
  requireInstallable(session: NodeSession, projectId: number): Promise<void>
  /**
   * Under the operation lock of the Instance. Installs a copy of each definition for production, which does not run; does nothing for
   * a development Instance. May be repeated: copies that exist are completed as they are. Throws `process.name_taken` and
   * `schedule.retry_conflict` before anything is written, and the codes of an installation (PRJ-084, PRJ-085).
   */
  copy(session: NodeSession, instanceId: number): Promise<void>
}

/** What Instances need to know of SQLite files from what is above them. */
export interface InstanceFiles {
  /** Whether a stored value of the Instance, or a database that is attached to it, is this file. */
  isNamed(instanceId: number, file: CheckoutAt): Promise<boolean>
  /** Whether a database that is this file belongs to another Instance, or is attached to one. */
  isShared(instanceId: number, file: CheckoutAt): Promise<boolean>
}

/** What a clone needs from stored environments, which are above it. */
export interface InstanceEnvironments {
  /**
   * The stored values of one Instance become those of another, but for those in `set` and those that are the path `moved`. May be repeated. Throws
   * `instance.clone_candidate_environment_invalid`.
   */
  copy(copy: {
    readonly from: number
    readonly to: number
    readonly set: ReadonlyMap<string, string>
    /** A path that values of the copy no longer name. */
    readonly moved?: { readonly from: string; readonly to: string } | undefined
  }): Promise<void>
}

/** What an Instance needs from its Processes, which are above it. Its operation lock is held. */
export interface InstanceRuntime {
  /** Ends what runs in the checkout; its records stay. May be repeated. */
  stop(session: NodeSession, instanceId: number): Promise<void>
  /** Removes units and records. May be repeated. */
  remove(session: NodeSession, instanceId: number): Promise<void>
  /** Deletes the records and records what stays on Nodes that are not asked, in the transaction of the Instance's removal. */
  leaveBehind(tx: Database, call: Call, places: InstancePlaces): Promise<void>
}
