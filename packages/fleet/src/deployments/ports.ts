import type { Database } from '@fleet/store'
import type { NodeSession } from '#/nodes/api.ts'
import type { ProductionInstance } from '#/instances/api.ts'
import type { PageAnswer } from '#/php/api.ts'

/** The PHP service of a production Instance, as far as a deployment needs it. */
export interface ProductionPhp {
  /**
   * Asks for a page of a release as a visitor of its Route would, whatever is selected; undefined for an Instance without a Route
   * that PHP serves. What came of it is no error.
   */
  health(
    session: NodeSession,
    instance: ProductionInstance,
    page: { readonly release: string; readonly path: string },
  ): Promise<PageAnswer | undefined>
  /** False for an Instance without PHP, which has no such service. */
  hasService(instance: ProductionInstance): Promise<boolean>
  /** Throws `app-prod.php_version_unsupported` for a release that its service cannot run, before it is selected. */
  requireRunnable(session: NodeSession, instance: ProductionInstance, release: string): Promise<void>
  /**
   * Reconciles the service with the selected release and resets its opcode cache; returns once a later request has seen the
   * reset (DEPL-034). Throws `app-prod.php_*`.
   */
  refresh(session: NodeSession, instance: ProductionInstance): Promise<void>
}

/** What the web server may read of the releases of a production Instance. */
export interface ReleaseAccess {
  /** Before the release is selected. Throws `app-prod.web_root_invalid` and `app-dev.source_access_failed`. */
  open(session: NodeSession, instance: ProductionInstance, release: string): Promise<void>
}

/** How visitors from outside reach a Cluster. */
export interface ClusterEdge {
  /** Public Routes of the Cluster that are not open yet are tried again once this is stored (RTX-050). */
  publishWaiting(db: Database, clusterId: number): Promise<void>
}
