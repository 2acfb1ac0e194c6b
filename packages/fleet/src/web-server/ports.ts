import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { Site } from '#/web-server/site.ts'

/** A domain above that has sites on Nodes. */
export interface SiteSource {
  /** The sites of the Node as the records are now: committed state alone (RTX-076). */
  sitesOn(node: NodeRecord): Promise<readonly Site[]>
  /** The certificates of those sites are on the Node and good. Those that are new wait for the next build to be loaded. */
  publishLeaves(session: NodeSession): Promise<void>
}
