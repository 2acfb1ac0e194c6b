import type { Word } from '@fleet/shell'
import {
  linkState,
  otherServerDropIn,
  type ResolverPlan,
  unitDropIn,
  yesNo,
} from '#/network/resolver-plan.ts'

/** What becomes of a resolver state on the machine that is not Fleet's: `replace` keeps it beside Fleet's own. */
export type OnForeign = 'refuse' | 'replace'

/** Keeper, server, domains, default route, and the texts of the link's state, the unit's drop-in and the other server's. */
export const resolverWords = (plan: ResolverPlan | undefined): readonly Word[] =>
  plan === undefined
    ? ['keep', '', '', '', '', '', '']
    : [
        plan.keeper,
        plan.server,
        plan.domains.join(' '),
        yesNo(plan.isDefaultRoute),
        linkState(plan),
        unitDropIn(plan),
        otherServerDropIn(plan),
      ]
