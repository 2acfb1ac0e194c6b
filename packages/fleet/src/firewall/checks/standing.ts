import { isFleetComment } from '#/firewall/comments.ts'
import { MANAGED_ORDER } from '#/firewall/managed/names.ts'
import { isInFamily, isSameRule, type UfwRule } from '#/firewall/ufw/rule.ts'
import {
  beginsWith,
  familiesOf,
  type FamilyState,
  isInForce,
  type PresentFirewall,
  rulesOf,
} from '#/firewall/ufw/state.ts'

export type Standing = 'exact' | 'missing' | 'different'

/** How the rules of one comment stand, in both families. One that the kernel does not know is as good as missing. */
export function standingOf(state: PresentFirewall, comment: string, wanted: readonly UfwRule[]): Standing {
  const found = familiesOf(state).map((family) => standingIn(family, comment, wanted))
  return found.find((one) => one === 'different') ?? found.find((one) => one === 'missing') ?? 'exact'
}

function standingIn(family: FamilyState, comment: string, rules: readonly UfwRule[]): Standing {
  const wanted = rules.filter((rule) => isInFamily(rule, family.file.family))
  const live = rulesOf(family.file).filter((rule) => rule.comment === comment)
  if (live.some((rule) => !wanted.some((other) => isSameRule(rule, other)))) return 'different'
  const stands = wanted.every(
    (rule) => live.some((other) => isSameRule(rule, other)) && isInForce(rule, family),
  )
  return stands ? 'exact' : 'missing'
}

/** Whether nothing stands above Fleet's own rules: only so a rule of somebody else cannot close a way of the gateway. */
export const leadsAll = (state: PresentFirewall): boolean =>
  familiesOf(state).every((family) => {
    const isManaged = ({ comment }: UfwRule): boolean => MANAGED_ORDER.includes(comment ?? '')
    const rules = rulesOf(family.file).filter(isManaged)
    return rules.every((rule) => !isInForce(rule, family)) || beginsWith(rules, family)
  })

/** How many comments of the fleet stand there that the records know nothing of. */
export function strangersIn(state: PresentFirewall, known: ReadonlySet<string>): number {
  const comments = familiesOf(state).flatMap(({ file }) => rulesOf(file).map(({ comment }) => comment ?? ''))
  return new Set(comments.filter((comment) => isFleetComment(comment) && !known.has(comment))).size
}
