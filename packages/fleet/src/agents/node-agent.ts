import type { Machine, NodeRecord } from '#/nodes/api.ts'

/** The small process that watches a Node, and its files. Throws `agent.*` codes and those of Machine. */
export interface NodeAgent {
  /** Installs or upgrades it; `unchanged` restarts nothing (AGT-021). */
  converge(machine: Machine, options: { readonly force: boolean }): Promise<'applied' | 'unchanged'>
  /** Digest of what `converge` would install, from the gateway's own code and pins (NODE-121). */
  digest(node: NodeRecord): Promise<string>
  remove(machine: Machine): Promise<void>
}
