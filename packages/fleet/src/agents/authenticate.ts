import { createHash, timingSafeEqual } from 'node:crypto'
import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Caller } from '#/call.ts'
import { findSecretHash } from '#/agents/queries.ts'
import type { Nodes } from '#/nodes/api.ts'

/** Makes sure that the agent of the calling Node asks, and nobody else of that Node. */
export type Authenticate = (caller: Caller, authorization: string | undefined) => Promise<void>

/**
 * Throws `agent.node_ineligible` for a Node that is no managed Linux Node, `agent.secret_required` without a bearer value
 * and `agent.secret_invalid` for any value but the one whose hash is stored (AGT-001, AGT-008, AGT-009, ACC-006, ACC-007).
 */
export const makeAuthenticate =
  ({ db }: Pick<Store, 'db'>, nodes: Pick<Nodes, 'find'>): Authenticate =>
  async (caller, authorization) => {
    const node = await nodes.find(caller.id)
    // Without a pinned key the gateway does not manage the machine, so it has put no agent there.
    if (node?.platform !== 'linux' || node.ssh_host_fingerprint === null) throw fail('agent.node_ineligible')
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (given === undefined) throw fail('agent.secret_required')
    const stored = await findSecretHash(db, caller.id)
    if (stored === undefined || !equal(stored, given)) throw fail('agent.secret_invalid')
  }

/** Compares digests, which have one length, so the timing reveals nothing about the secret (AGT-013). */
const equal = (storedHash: string, given: string): boolean =>
  timingSafeEqual(Buffer.from(storedHash, 'hex'), createHash('sha256').update(given).digest())
