import { programOf, textFile } from '@fleet/shell'
import { HOOK, RESOLVER, TUNNEL } from '#/network/commands/library.ts'
import { resolverReasons } from '#/network/commands/reasons.ts'
import { type OnForeign, resolverWords } from '#/network/commands/resolver-words.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'
import type { NodeScript } from '#/nodes/api.ts'

export interface ResolverRequest {
  readonly root: string
  readonly plan: ResolverPlan
  readonly onForeign?: OnForeign
}

/**
 * Points the resolver of a machine with a running tunnel where the plan says, now and at each start of the tunnel,
 * without restarting it; nothing unchanged is written. What fails is rolled back. Returns whether anything changed.
 */
export const setResolver: NodeScript<ResolverRequest, boolean> = {
  source: programOf(textFile('set-resolver.sh', import.meta.url), ...TUNNEL, RESOLVER),
  args: ({ root, plan, onForeign = 'refuse' }) => [root, HOOK, ...resolverWords(plan), onForeign],
  shown: ({ plan: { keeper, domains } }) => [keeper, ...domains],
  timeoutSeconds: 60,
  reasons: resolverReasons,
  broken: 'vpn.peer_dns_apply_failed',
  read: (answer) => answer.flag('changed'),
}
