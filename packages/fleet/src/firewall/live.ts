import type { LiveFirewallData, LiveFirewallRuleData } from '@fleet/contract'
import { isFleetComment } from '#/firewall/comments.ts'
import { asUnreachable } from '#/firewall/failures.ts'
import { intendedRules } from '#/firewall/intended.ts'
import type { HandlerDeps } from '#/firewall/deps.ts'
import { presentLive } from '#/firewall/present.ts'
import { requireNode } from '#/firewall/require.ts'
import { isInFamily, isSameRule, type UfwRule } from '#/firewall/ufw/rule.ts'
import { familiesOf, type FamilyState, type FirewallState, isInForce, rulesOf } from '#/firewall/ufw/state.ts'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { isEmbedded, type NodeRecord } from '#/nodes/api.ts'

/** What filters packets on the Node, and what the records miss there (FW-012). Throws `firewall.node_unreachable` and the codes of NodeSession. */
export const makeLive =
  (deps: HandlerDeps): Handler<'node:firewall:live'> =>
  async ({ call, input, found }) => {
    const node = found?.node ?? (await requireNode(deps.nodes, input.node))
    const state = await stateOf(deps, call, node)
    return { data: compare(state, await intendedRules(deps.store.db, deps.readFacts, node)) }
  }

async function stateOf(
  { nodes, program }: HandlerDeps,
  call: Call,
  node: NodeRecord,
): Promise<FirewallState> {
  if (isEmbedded(node) || node.platform === 'macos') return { backend: 'absent' }
  try {
    return await program.read(nodes.sessions.overTunnel(call, node))
  } catch (error) {
    throw asUnreachable(node, error)
  }
}

/** Rules of a firewall that is off are not live: then everything intended is missing. */
export function compare(state: FirewallState, intended: readonly UfwRule[]): LiveFirewallData {
  const wanted = intended.filter((rule) => isInFamily(rule, 'ipv4'))
  const missing = (rules: readonly UfwRule[]): LiveFirewallRuleData[] =>
    rules.map((rule) => presentLive(rule, 'ipv4', 'missing'))
  if (state.backend !== 'active') return { backend_status: state.backend, live: [], missing: missing(wanted) }
  const live = familiesOf(state).flatMap((family) =>
    rulesOf(family.file).map((rule) =>
      presentLive(
        rule,
        family.file.family,
        family.file.family === 'ipv4' ? matchOf(rule, wanted, family) : null,
      ),
    ),
  )
  const comments = new Set(rulesOf(state.ipv4.file).map(({ comment }) => comment))
  return {
    backend_status: 'active',
    live,
    // A comment with other values is drift, and not missing as well.
    missing: missing(wanted.filter(({ comment }) => !comments.has(comment))),
  }
}

/** FW-014. */
function matchOf(
  live: UfwRule,
  wanted: readonly UfwRule[],
  family: FamilyState,
): 'exact' | 'drift' | 'unmanaged' {
  if (live.comment === undefined || !isFleetComment(live.comment)) return 'unmanaged'
  const isWanted = wanted.some((rule) => rule.comment === live.comment && isSameRule(rule, live))
  return isWanted && isInForce(live, family) ? 'exact' : 'drift'
}
