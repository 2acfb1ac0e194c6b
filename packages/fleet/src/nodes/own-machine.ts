import { fail } from '@fleet/contract'
import { nodeDetail } from '#/nodes/present.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import { isEmbedded } from '#/nodes/rules.ts'

/**
 * Throws `node.capability_missing` for an embedded Node: it has no machine of its own, and so not what `lack` names, as in
 * `The Node has no Docker`.
 */
export function requireOwnMachine(node: NodeRecord, capability: string, lack: string): void {
  if (!isEmbedded(node)) return
  throw fail('node.capability_missing', {
    message: `The Node has no ${lack}. Embedded Nodes have none; the lab has real hosts (\`npm run lab -- up\`).`,
    details: { ...nodeDetail(node), capability },
  })
}
