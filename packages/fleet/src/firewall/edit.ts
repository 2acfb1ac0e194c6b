import { inOrder } from '#/firewall/order.ts'
import { type Block, blockOf, type RulesFile } from '#/firewall/ufw/rules-file.ts'
import { isInFamily, isSameRule, type UfwRule } from '#/firewall/ufw/rule.ts'

/** A change of the fleet's rules on one machine. */
export interface Edit {
  /** For each of these comments exactly these rules; none takes away what carries it. */
  readonly wanted: ReadonlyMap<string, readonly UfwRule[]>
  /** Rules with these comments that stay where they are present already. */
  readonly staying?: readonly UfwRule[]
  /** Further comments whose rules go. */
  readonly stale?: (comment: string) => boolean
}

/** The file after the change: rules with other comments are unchanged, and everything is in order again. */
export function edited(file: RulesFile, { wanted, staying = [], stale }: Edit): RulesFile {
  const kept = file.blocks.filter(({ rule }) => {
    const comment = rule?.comment
    return comment === undefined || !(wanted.has(comment) || stale?.(comment))
  })
  const rules = [...wanted.values()].flat().filter((rule) => isInFamily(rule, file.family))
  const added = rules.map((rule) => existing(file, rule) ?? blockOf(rule, file.family))
  const left = staying.flatMap((rule) => existing(file, rule) ?? [])
  return { ...file, blocks: inOrder([...new Set([...added, ...left, ...kept])]) }
}

/** The block that says it already, with the lines that UFW may have written in its own way. */
const existing = ({ blocks }: RulesFile, wanted: UfwRule): Block | undefined =>
  blocks.find(({ rule }) => rule?.comment === wanted.comment && rule && isSameRule(rule, wanted))
