import { type Access, fail } from '@fleet/contract'
import type { Authenticate } from '#/agents/api.ts'
import type { Caller } from '#/call.ts'
import type { Nodes } from '#/nodes/api.ts'

/** The source address is the whole identity (GW-004); a Node that is not active has none, the gateway included (GW-005). */
export const makeIdentify =
  (nodes: Pick<Nodes, 'findCaller'>, authenticateAgent: Authenticate) =>
  async (kind: Access, address: string, authorization?: string): Promise<Caller | undefined> => {
    if (kind === 'public') return undefined
    const caller = address === '' ? undefined : await nodes.findCaller(address)
    if (caller?.status !== 'active') throw fail('peer.identity_unknown')
    const { id, name, isGateway } = caller
    const identity = { id, name, address, isGateway }
    if (kind === 'agent') await authenticateAgent(identity, authorization)
    return identity
  }
