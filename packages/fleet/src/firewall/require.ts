import { fail } from '@fleet/contract'
import { noFirewall } from '#/firewall/failures.ts'
import { isEmbedded, type NodeRecord, type Nodes } from '#/nodes/api.ts'

export async function requireNode(nodes: Pick<Nodes, 'find'>, id: number): Promise<NodeRecord> {
  const node = await nodes.find(id)
  if (!node) throw fail('node.not_found')
  return node
}

/** Throws `firewall.platform_unsupported` and, for an embedded Node, `node.capability_missing`. */
export function requireFirewall(node: NodeRecord): void {
  if (node.platform === 'macos')
    throw fail('firewall.platform_unsupported', {
      message: 'Fleet does not manage firewalls on macOS.',
      details: { node: { id: node.id, name: node.name } },
    })
  if (isEmbedded(node)) throw noFirewall(node)
}

/** Nodes whose firewall is the fleet's: managed Linux machines that are members of the tunnel. */
export const hasFirewall = (node: NodeRecord): boolean =>
  node.platform === 'linux' && node.wireguard_ip !== null && !isEmbedded(node)
