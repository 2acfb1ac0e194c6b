export type Family = 'ipv4' | 'ipv6'

/** One rule as UFW stores it. `any` means every address, port and protocol. */
export interface UfwRule {
  readonly action: 'allow' | 'deny' | 'reject' | 'limit'
  /** `log` or `log-all`; undefined for rules that log nothing. */
  readonly log?: string | undefined
  readonly direction: 'in' | 'out' | 'routed'
  readonly protocol: string
  /** `any`, `80`, `80,443` or `8000:8100`. */
  readonly port: string
  readonly destination: string
  readonly sourcePort: string
  readonly source: string
  readonly interfaceIn?: string | undefined
  readonly interfaceOut?: string | undefined
  readonly comment?: string | undefined
  /** Application profiles of destination and source, as UFW writes them. */
  readonly profiles?: readonly [string, string] | undefined
}

/** What own rules vary in; the rest is `any`. */
type Given = Pick<UfwRule, 'action' | 'comment'> & Partial<UfwRule>

/** A rule of the fleet: incoming unless said otherwise. */
export const ownRule = (given: Given): UfwRule => ({
  direction: 'in',
  protocol: 'any',
  port: 'any',
  destination: 'any',
  sourcePort: 'any',
  source: 'any',
  ...given,
})

/** Whether a rule for these addresses belongs in the rules file of the family. */
export const isInFamily = ({ source, destination }: UfwRule, family: Family): boolean =>
  [source, destination].every((address) => address === 'any' || address.includes(':') === (family === 'ipv6'))

const KEYS = [
  'action',
  'log',
  'direction',
  'protocol',
  'port',
  'destination',
  'sourcePort',
  'source',
  'interfaceIn',
  'interfaceOut',
] as const

/** The same in everything but the comment. */
export const isSameRule = (one: UfwRule, other: UfwRule): boolean =>
  KEYS.every((key) => spelled(one[key]) === spelled(other[key]))

// The networks of every address are `any` in the rules files.
const spelled = (value: string | undefined): string | undefined =>
  value === '0.0.0.0/0' || value === '::/0' ? 'any' : value
