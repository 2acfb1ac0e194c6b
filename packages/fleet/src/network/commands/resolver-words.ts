import type { Word } from '@fleet/shell'
import {
  linkState,
  otherServerDropIn,
  type ResolverPlan,
  unitDropIn,
  yesNo,
} from '#/network/resolver-plan.ts'

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
