import { isFleetComment } from '#/firewall/comments.ts'
import { MANAGED_ORDER } from '#/firewall/managed/names.ts'
import { netfilterLine, signatureOf } from '#/firewall/ufw/netfilter.ts'
import { isInFamily, isSameRule, type UfwRule } from '#/firewall/ufw/rule.ts'
import {
  familiesOf,
  type FamilyState,
  isInForce,
  type PresentFirewall,
  rulesOf,
} from '#/firewall/ufw/state.ts'

export type RuleMatch = 'exact' | 'missing' | 'different'

/** State of the rules with one comment, in both families. A rule that is not in the kernel counts as missing. */
export function matchOf(state: PresentFirewall, comment: string, wanted: readonly UfwRule[]): RuleMatch {
  const found = familiesOf(state).map((family) => standingIn(family, comment, wanted))
  return found.find((one) => one === 'different') ?? found.find((one) => one === 'missing') ?? 'exact'
}

function standingIn(family: FamilyState, comment: string, rules: readonly UfwRule[]): RuleMatch {
  const wanted = rules.filter((rule) => isInFamily(rule, family.file.family))
  const live = rulesOf(family.file).filter((rule) => rule.comment === comment)
  if (live.some((rule) => !wanted.some((other) => isSameRule(rule, other)))) return 'different'
  const isExact = wanted.every(
    (rule) => live.some((other) => isSameRule(rule, other)) && isInForce(rule, family),
  )
  return isExact ? 'exact' : 'missing'
}

/**
 * Whether these rules of Fleet itself come first, in the files and in the kernel: only then can no other rule cut the
 * gateway off.
 */
export const leadsAll = (state: PresentFirewall, managed: readonly UfwRule[]): boolean =>
  familiesOf(state).every((family) => {
    const { file, kernel } = family
    const isWanted = (rule: UfwRule): boolean => managed.some((one) => isSameRule(one, rule))
    const inFile = rulesOf(file)
    const last = inFile.findLastIndex((rule) => isWanted(rule) && isManaged(rule))
    if (!inFile.slice(0, last + 1).every(isManaged)) return false
    const signatures = new Set(inFile.filter(isManaged).map((rule) => kernelWords(rule, family)))
    const wanted = new Set(inFile.filter(isWanted).map((rule) => kernelWords(rule, family)))
    return [...kernel.values()].every((lines) => {
      const end = lines.findLastIndex((line) => line !== undefined && wanted.has(line))
      return lines.slice(0, end + 1).every((line) => line !== undefined && signatures.has(line))
    })
  })

const isManaged = ({ comment }: UfwRule): boolean => MANAGED_ORDER.includes(comment ?? '')

const kernelWords = (rule: UfwRule, { file }: FamilyState): string =>
  signatureOf(netfilterLine(rule, file.family)) ?? ''

/** Number of comments of the fleet that are not in the records. */
export function strangersIn(state: PresentFirewall, known: ReadonlySet<string>): number {
  const comments = familiesOf(state).flatMap(({ file }) => rulesOf(file).map(({ comment }) => comment ?? ''))
  return new Set(comments.filter((comment) => isFleetComment(comment) && !known.has(comment))).size
}
