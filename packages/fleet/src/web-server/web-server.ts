import type { FamilyChecks, NodeArtifact, NodeSession } from '#/nodes/api.ts'
import type { Publisher } from '#/web-server/failures.ts'

/** The web server of each Node: one file for all sites of all roles. */
export interface WebServer {
  /**
   * The Node serves its sites as the records are: one round trip when it does, two when not; the same bytes never reload. Throws
   * `<publisher>.caddy_config_failed` with the stage, and the codes of a lost lock and of a deadline. `onKept` is told where an earlier
   * file was kept that Fleet had not built (RTX-077).
   */
  build(
    session: NodeSession,
    publisher: Publisher,
    onKept?: (path: string) => void,
  ): Promise<'applied' | 'unchanged'>
  /** Built again by `node:converge` when the file would differ (NODE-120). */
  readonly artifact: NodeArtifact
  readonly checks: FamilyChecks
}
