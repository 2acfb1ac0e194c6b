import type { Store } from '@fleet/store'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { Certificates, PublishedLeaf } from '#/certificates/api.ts'
import { holding } from '#/holding.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'

/** A leaf that is to stand on a Node, and the lock of whatever may withdraw it. */
export interface LeafPlacement {
  readonly nodeId: number
  readonly lock: string
  readonly leaf: PublishedLeaf
}

/** A domain that publishes leaves. */
export interface LeafSource {
  leaves(): Promise<readonly LeafPlacement[]>
}

export interface RenewalParts {
  readonly store: Pick<Store, 'locks'>
  readonly nodes: Pick<Nodes, 'find' | 'machines'>
  readonly certificates: Pick<Certificates, 'publishLeaf'>
  readonly sources: readonly LeafSource[]
}

/** What became of one leaf that was not good any more, or could not be looked at. */
export interface Renewal {
  readonly node: string
  readonly scope: string
  /** `renewed`, or the code of what went wrong; it is tried again at the next time. */
  readonly outcome: string
}

/** Runs one leaf's work under a Call of its own. */
export type WithCall = <T>(run: (call: Call) => Promise<T>) => Promise<T>

export type RenewLeaves = (withCall: WithCall) => Promise<readonly Renewal[]>

const LEASE_SECONDS = 180

/**
 * Looks at every leaf on a Node, one round trip each, and issues those anew that are due (RTX-100). One Node that fails
 * keeps no other from its certificate; one that somebody works on just now is looked at the next time.
 */
export const makeRenewal =
  (parts: RenewalParts): RenewLeaves =>
  async (withCall) => {
    const renewals: Renewal[] = []
    for (const source of parts.sources) {
      for (const placement of await source.leaves()) {
        const node = await parts.nodes.find(placement.nodeId)
        const outcome = node && (await withCall((call) => renew(parts, call, source, placement, node)))
        if (outcome) renewals.push({ node: node.name, scope: placement.leaf.scope, outcome })
      }
    }
    return renewals
  }

async function renew(
  { store, nodes, certificates }: RenewalParts,
  call: Call,
  source: LeafSource,
  { nodeId, lock, leaf }: LeafPlacement,
  node: NodeRecord,
): Promise<string | undefined> {
  const hold = {
    lock,
    waitMilliseconds: 0,
    leaseSeconds: LEASE_SECONDS,
    busy: 'node_role.node_busy',
  } as const
  try {
    return await holding(store, call, hold, async () => {
      // It may have been withdrawn before the lock was ours.
      const now = await source.leaves()
      const isWanted = now.some((other) => other.nodeId === nodeId && other.leaf.scope === leaf.scope)
      if (!isWanted) return undefined
      const outcome = await certificates.publishLeaf(nodes.machines.overTunnel(call, node), leaf)
      return outcome === 'published' ? 'renewed' : undefined
    })
  } catch (error) {
    if (error instanceof CodedError) return error.code === hold.busy ? undefined : error.code
    throw error
  }
}
