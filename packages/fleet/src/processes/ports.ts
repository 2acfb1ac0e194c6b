import type { ProcessConnection } from '@fleet/contract'
import type { Database } from '@fleet/store'

/** What Processes need from the Routes of Instances, which are above them. */
export interface InstanceDomains {
  /** The domain at which the Instance is served; undefined for one without a Route. */
  ownRoute(instanceId: number, db: Database): Promise<{ readonly domain: string } | undefined>
}

/** What Processes need from deployments, which are above them. */
export interface SelectedReleases {
  /** The release that a production Instance runs; undefined when there is none (PROC-032). */
  selected(instanceId: number): Promise<unknown>
}

/** What Processes need from custom proxies, which are above them. */
export interface ProcessRoutes {
  /** The Route that leads to the Process; undefined without one. */
  routeTo(processId: number): Promise<{ readonly id: number; readonly domain: string } | undefined>
}

/** What Processes need from database connections, which are above them. */
export interface ProcessConnections {
  /**
   * What an attachment of the connection writes and removes. Throws `database.not_found` and `database.password_unreadable`.
   */
  keysOf(
    db: Database,
    use: ProcessConnection,
  ): Promise<{ readonly set: ReadonlyMap<string, string>; readonly removed: readonly string[] }>
  /** Keeps the connection until the transaction ends. Throws `database.not_found` and `database.operation_busy`. */
  hold(db: Database, slug: string): Promise<void>
}

/** What Processes need from database servers, which are above them. */
export interface ProcessServers {
  /** Slug of the database server whose Process it is; undefined for any other. */
  serverOf(processId: number): Promise<string | undefined>
  /** Ports that servers of the Node have. Whoever creates one waits until the transaction ends. */
  portsOn(
    db: Database,
    nodeId: number,
  ): Promise<ReadonlyArray<{ readonly port: number; readonly slug: string }>>
}
