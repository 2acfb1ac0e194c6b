import { type Access, fail } from '@fleet/contract'
import type { Caller } from '#/call.ts'
import type { Nodes } from '#/nodes/api.ts'

/** The source address is the whole identity (GW-004); a Node that is not active has none, the gateway included (GW-005). */
export const makeIdentify =
  (nodes: Pick<Nodes, 'findCaller'>) =>
  async (kind: Access, address: string): Promise<Caller | undefined> => {
    if (kind === 'public') return undefined
    const caller = address === '' ? undefined : await nodes.findCaller(address)
    if (caller?.status !== 'active') throw fail('peer.identity_unknown')
    const { id, name, isGateway } = caller
    return { id, name, address, isGateway }
  }
