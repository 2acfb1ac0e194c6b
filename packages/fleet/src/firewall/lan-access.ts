import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { changeRules } from '#/firewall/change.ts'
import { hasFirewall } from '#/firewall/require.ts'
import { LAN_NAMES, stayingRules, wantedFor } from '#/firewall/desired.ts'
import { doneOrThrow } from '#/firewall/failures.ts'
import {
  concernedBy,
  type LanChange,
  lanFactsOf,
  type LanFacts,
  lanPeers,
  readLanFacts,
  stayingLanFacts,
} from '#/firewall/lan.ts'
import { holdingRules } from '#/firewall/locks.ts'
import { lanRules } from '#/firewall/managed/table.ts'
import type { FirewallProgram } from '#/firewall/program.ts'
import { identityOf, type NodeRecord, type Nodes } from '#/nodes/api.ts'
import { endsRequest } from '#/perform-steps.ts'

/** The rules of a Cluster's Routers and members on its LAN (FW-031). */
export interface LanAccess {
  /**
   * Rules on every Node that the change concerns, as the records and the change define them. Nodes without a firewall of
   * the fleet are skipped, and those that do not answer: they get theirs when they converge. Throws
   * `router.lan_ingress_failed` with `details.node`, after the other Nodes have theirs. May be repeated.
   */
  converge(call: Call, change: LanChange): Promise<void>
}

export interface LanDeps {
  readonly store: Store
  readonly nodes: Pick<Nodes, 'find' | 'answers' | 'sessions'>
  readonly program: FirewallProgram
}

export const makeLanAccess = (deps: LanDeps): LanAccess => ({
  converge: async (call, change) => {
    const { db } = deps.store
    const [before, after] = [
      await lanPeers(db, change.clusterId),
      await lanPeers(db, change.clusterId, change),
    ]
    const failures: CodedError[] = []
    for (const nodeId of concernedBy(change, before, after)) {
      const node = await deps.nodes.find(nodeId)
      if (!node || !hasFirewall(node) || !(await deps.nodes.answers(call, node))) continue
      try {
        await convergeNode(deps, call, node, change)
      } catch (error) {
        failures.push(failureOf(node, error))
      }
    }
    if (failures[0]) throw failures[0]
  },
})

/** The records are read under the lock: of two changes at once the later one writes what both want. */
const convergeNode = ({ store, nodes, program }: LanDeps, call: Call, node: NodeRecord, change: LanChange) =>
  holdingRules(store, call, node.id, async () => {
    const session = nodes.sessions.overTunnel(call, node)
    const state = await program.read(session)
    if (state.backend === 'absent') return
    const facts = await factsAfter(store, node, change)
    const staying = stayingRules(await stayingLanFacts(store.db, node, change))
    const edit = { wanted: wantedLan(facts), staying }
    doneOrThrow(node, await changeRules(program, session, { edit }, state), ['apply', 'verify'])
  })

/** A Node that left and is in another Cluster by now has the rules of that. */
const factsAfter = async ({ db }: Store, node: NodeRecord, change: LanChange): Promise<LanFacts | null> =>
  change.isMember !== true && node.cluster_id !== change.clusterId
    ? readLanFacts(db, node)
    : lanFactsOf(await lanPeers(db, change.clusterId, change), node.id)

const wantedLan = (facts: LanFacts | null) => wantedFor(LAN_NAMES, lanRules(facts))

function failureOf(node: NodeRecord, error: unknown): CodedError {
  if (!(error instanceof CodedError) || endsRequest(error)) throw error
  return fail('router.lan_ingress_failed', {
    details: { node: identityOf(node), error_code: error.code },
    cause: error,
  })
}
