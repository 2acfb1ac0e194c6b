import type { FamilyChecks, NodeArtifact, NodeSession } from '#/nodes/api.ts'
import type { Pool } from '#/php/pool.ts'
import type { PageAnswer, PageRequest } from '#/php/production/ask-page.ts'

/** An application directory of a checkout on a Node. */
export interface PhpSource {
  /** Empty where there is none to look at. */
  readonly checkoutPath: string
  /** Repository-relative; empty for the repository root. */
  readonly directory: string
  /** What an earlier call answered and the records keep; undefined before the first. */
  readonly recorded?: PhpVersion | undefined
}

/** A source on the Node that has it. */
export interface SourceOn extends PhpSource {
  readonly session: NodeSession
}

/** `8.2`; null for a source without `composer.json`, which needs no PHP. */
export type PhpVersion = string | null

/** PHP on Nodes: which version runs a source, and the pools that run it. */
export interface Php {
  /**
   * The newest version that the Node has or its package sources offer and that `require.php` of `composer.json` accepts; the
   * recorded one as long as it fits. One round trip, three when the package lists of the Node are empty. Throws
   * `app-dev.php_version_unsupported`, `app-dev.php_package_source_unavailable` and `app-dev.source_evidence_changed`.
   */
  versionFor(session: NodeSession, source: PhpSource): Promise<PhpVersion>
  /**
   * What `versionFor` will answer on another Node once the source is there: the recorded version where that Node has it, otherwise
   * the newest that fits. Changes nothing. Two round trips, four when the package lists of that Node are empty. Throws as `versionFor`.
   */
  versionThere(destination: NodeSession, from: SourceOn): Promise<PhpVersion>
  /** Throws `node.capability_missing` for a source with PHP on a Node of the embedded fleet, which runs none. Changes nothing. */
  requireServable(session: NodeSession, source: PhpSource): Promise<void>
  /**
   * The Node runs the pools of the records and no others: missing packages are installed, every version is tested as a whole,
   * and all of them are restored when one fails. Two round trips when nothing differs. Pools whose directory is missing are left
   * out and answered. Throws `app-dev.php_runtime_failed` and the codes of packages.
   */
  converge(session: NodeSession): Promise<PoolsConverged>
  /**
   * The same for whoever needs one of the pools. Throws `app-dev.php_pool_directory_missing` when that one was left out, after
   * everything else is published (RTX-123).
   */
  publish(session: NodeSession, pool: Pick<Pool, 'name'>): Promise<void>
  /** Pools, settings and services of Fleet go, whatever the records say; packages and pools of others stay (ROLE-007). */
  withdraw(session: NodeSession): Promise<void>
  readonly production: ProductionPhpServices
  readonly artifact: NodeArtifact
  readonly checks: readonly FamilyChecks[]
}

export interface PoolsConverged {
  readonly outcome: 'applied' | 'unchanged'
  /** Their directory is missing. */
  readonly skipped: readonly Pool[]
}

/** PHP of production Instances: a process manager of its own for each Unix user (RTX-124). */
export interface ProductionPhpServices {
  /**
   * As for development, with the codes of production: `app-prod.php_version_unsupported`, also for a source that no longer accepts
   * the recorded version, and `app-prod.php_package_source_unavailable` (RTX-116).
   */
  versionFor(session: NodeSession, source: PhpSource): Promise<string | null>
  /** The service runs as the records say. Does nothing for an Instance without PHP. Throws `app-prod.php_runtime_*`. */
  converge(session: NodeSession, instanceId: number): Promise<void>
  /**
   * The same for whoever takes a pool away: those whose directory is missing are left out, and without the first one the service
   * stays as it is (RTX-064).
   */
  convergeFound(session: NodeSession, instanceId: number): Promise<void>
  /** As `converge`; then its opcode cache is empty, and a later request has seen that (DEPL-015, DEPL-034). */
  refresh(session: NodeSession, instanceId: number): Promise<void>
  /** Asks a pool for a page, as the user of the session. What came of it is no error. */
  askPage(session: NodeSession, request: PageRequest): Promise<PageAnswer>
  /** Removes the service; the operator's tuning stays (INS-118). May be repeated. */
  remove(session: NodeSession, instanceId: number): Promise<void>
  readonly artifact: NodeArtifact
}
