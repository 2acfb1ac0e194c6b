import { type Access, fail } from '@fleet/contract'
import type { Caller } from '#/call.ts'
import type { Nodes } from '#/nodes/api.ts'

/** The source address is the whole identity (GW-004); a Node that is not active has none, the gateway included (GW-005). */
export const makeIdentify =
  (nodes: Pick<Nodes, 'findByAddress'>) =>
  async (kind: Access, address: string): Promise<Caller | undefined> => {
    if (kind === 'public') return undefined
    const node = address === '' ? undefined : await nodes.findByAddress(address)
    if (node?.status !== 'active') throw fail('peer.identity_unknown')
    return { id: node.id, name: node.name, address, isGateway: node.activeRoles.includes('gateway') }
  }
