import { createHash } from 'node:crypto'
import type { Answer } from '@fleet/shell'
import { chainOf, netfilterLine, signatureOf } from '#/firewall/ufw/netfilter.ts'
import { parseRulesFile, type RulesFile } from '#/firewall/ufw/rules-file.ts'
import type { Family, UfwRule } from '#/firewall/ufw/rule.ts'

/** One address family of a machine's firewall. */
export interface FamilyState {
  readonly file: RulesFile
  /** Hex SHA-256 of the rules file, or `missing`. */
  readonly digest: string
  /** Signatures of what the kernel does with incoming and routed packets, by chain and in order; undefined for what no rule of the fleet says. Empty where the kernel lacks the family. */
  readonly kernel: ReadonlyMap<string, readonly (string | undefined)[]>
}

/** The firewall of a machine as it is. */
export type FirewallState =
  | { readonly backend: 'absent' }
  | {
      readonly backend: 'active' | 'inactive'
      /** It is on, refuses what no rule admits, and is on again after the next start of the machine. */
      readonly isLasting: boolean
      readonly deniesRest: boolean
      readonly ipv4: FamilyState
      /** Undefined while IPv6 is off in UFW. */
      readonly ipv6: FamilyState | undefined
    }

export type PresentFirewall = Exclude<FirewallState, { readonly backend: 'absent' }>

/** Why a script did not change the rules. */
export const writeRefusals = [
  'absent',
  'changed',
  'storage_read_only',
  'storage_full',
  'write_failed',
  'content_incomplete',
  'rules_refused',
  'load_failed',
  'enable_failed',
  'not_over_tunnel',
  'tunnel_down',
  'ssh_silent',
  'ssh_port_differs',
] as const
export type WriteRefusal = (typeof writeRefusals)[number]

/** Throws MalformedOutput when something else answered. */
export function readState(answer: Answer): FirewallState {
  answer.word('end', ['yes'])
  const backend = answer.word('backend', ['absent', 'active', 'inactive'])
  if (backend === 'absent') return { backend }
  const [deniesRest, starts] = [answer.flag('denying'), answer.flag('starting')]
  return {
    backend,
    isLasting: backend === 'active' && deniesRest && starts,
    deniesRest,
    ipv4: familyState(answer, 'ipv4', ''),
    ipv6: answer.has('kernel6') ? familyState(answer, 'ipv6', '6') : undefined,
  }
}

/** The families of a firewall that are in use. */
export const familiesOf = ({ ipv4, ipv6 }: PresentFirewall): readonly FamilyState[] =>
  ipv6 ? [ipv4, ipv6] : [ipv4]

/** Rules in evaluation order. */
export const rulesOf = ({ blocks }: RulesFile): readonly UfwRule[] => blocks.flatMap(({ rule }) => rule ?? [])

/** Whether the kernel has this rule of the fleet, at any position. */
export function isInForce(rule: UfwRule, { file, kernel }: FamilyState): boolean {
  const lines = kernel.get(chainOf(rule, file.family)) ?? []
  return lines.includes(signatureOf(netfilterLine(rule, file.family)))
}

/** Whether each chain of the kernel begins with these rules, in their order. */
export function beginsWith(rules: readonly UfwRule[], { file: { family }, kernel }: FamilyState): boolean {
  const chains = Map.groupBy(rules, (rule) => chainOf(rule, family))
  return [...chains].every(([chain, wanted]) =>
    wanted.every((rule, at) => kernel.get(chain)?.[at] === signatureOf(netfilterLine(rule, family))),
  )
}

function familyState(answer: Answer, family: Family, suffix: string): FamilyState {
  const bytes = answer.get(`rules${suffix}`)
  const lines = answer
    .text(`kernel${suffix}`)
    .split('\n')
    .filter((line) => line !== '')
  const chains = Map.groupBy(lines, (line) => line.split(' ')[1] ?? '')
  return {
    file: parseRulesFile(bytes?.toString('utf8') ?? '', family),
    digest: bytes ? createHash('sha256').update(bytes).digest('hex') : 'missing',
    kernel: new Map(
      [...chains].map(([chain, reported]) => [
        chain,
        reported.filter((line) => line.startsWith('-A ')).map(signatureOf),
      ]),
    ),
  }
}
