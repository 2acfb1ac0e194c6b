import type { NodeSession, NodeRecord } from '#/nodes/api.ts'

/** The small process that watches a Node, and its files. Throws `agent.*` codes and those of NodeSession. */
export interface NodeAgent {
  /** Installs or upgrades it; `unchanged` restarts nothing (AGT-021). */
  converge(session: NodeSession, options: { readonly force: boolean }): Promise<'applied' | 'unchanged'>
  /** Digest of what `converge` would install, from the gateway's own code and pins (NODE-121). */
  digest(node: NodeRecord): Promise<string>
  remove(session: NodeSession): Promise<void>
}
