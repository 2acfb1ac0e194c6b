import type { RoleName } from '@fleet/contract'
import { managedComment } from '#/firewall/comments.ts'
import type { LanFacts } from '#/firewall/lan.ts'
import { type ManagedName, managedNames } from '#/firewall/managed/names.ts'
import { ownRule, type UfwRule } from '#/firewall/ufw/rule.ts'

/** Name of the tunnel's interface on every Node. */
export const TUNNEL = 'fleet'

/** What the rules of a Node follow from. */
export interface ManagedFacts {
  /** Null before it has one. */
  readonly tunnelAddress: string | null
  /** Ports on which its sshd may be reached from outside. */
  readonly publicSshPorts: readonly number[]
  /** Of all tunnel addresses; undefined without a private network. */
  readonly tunnelRange?: string | undefined
  readonly hubPort: number
  readonly peerPort: number
  readonly websocketPort: number
  /** Null when no Node is the gateway. */
  readonly gatewayAddress: string | null
  /** Whether a public Route is live on it (FW-029). */
  readonly servesPublicRoutes: boolean
  /** Null without a LAN address, or outside a Cluster. */
  readonly lan: LanFacts | null
}

/** A rule that Fleet wants, without the place it has among the others. */
export interface ManagedRule {
  readonly name: ManagedName
  /** Null for what every Node has. */
  readonly role: RoleName | null
  readonly rule: UfwRule
}

export type NamedRule = Pick<ManagedRule, 'name' | 'rule'>
type Given = Partial<Omit<UfwRule, 'comment'>>
type Make = (facts: ManagedFacts) => readonly NamedRule[]

const named = (name: ManagedName, given: Given = {}): NamedRule => ({
  name,
  rule: ownRule({ action: 'allow', ...given, comment: managedComment(name) }),
})

/** Rules on the tunnel are for the Node's own address; a Node without one has none. */
const onTunnel = (
  name: ManagedName,
  { tunnelAddress }: Pick<ManagedFacts, 'tunnelAddress'>,
  given: Given = {},
): readonly NamedRule[] =>
  tunnelAddress === null ? [] : [named(name, { interfaceIn: TUNNEL, destination: tunnelAddress, ...given })]

/** Admits every tunnel peer to every port (FW-028, FW-036). */
export const members = (facts: Pick<ManagedFacts, 'tunnelAddress'>): readonly NamedRule[] =>
  onTunnel('wireguard-members', facts)

/** The way in from outside, until the first role and after the last (NODE-129). */
export const recovery = ({ publicSshPorts }: Pick<ManagedFacts, 'publicSshPorts'>): readonly NamedRule[] =>
  publicSshPorts.map((port) => named('public-ssh-recovery', { protocol: 'tcp', port: String(port) }))

/** A workload admits the Routers of its Cluster, and a Router also whom private DNS leads to its LAN address (FW-031). */
export const lanRules = (lan: LanFacts | null): readonly NamedRule[] =>
  lan === null
    ? []
    : [
        ...lan.routers.map((source) => onLan('router-lan-workload', lan, { source, port: '443' })),
        ...lan.members.flatMap((source) =>
          ['80', '443'].map((port) => onLan('router-lan-members', lan, { source, port })),
        ),
      ]

const onLan = (name: ManagedName, { address }: LanFacts, given: Given): NamedRule =>
  named(name, { protocol: 'tcp', destination: address, ...given })

const GRAFANA = { protocol: 'tcp', port: '3000' } as const

/** What each role adds. */
export const ROLE_RULES = {
  gateway: (facts) => onTunnel('gateway-https', facts, { protocol: 'tcp', port: '443' }),
  vpn: (facts) => [
    named('vpn-hub', { protocol: 'udp', port: String(facts.hubPort) }),
    ...onTunnel('vpn-dns', facts, { protocol: 'udp', port: '53' }),
    ...onTunnel('vpn-dns', facts, { protocol: 'tcp', port: '53' }),
    named('vpn-forward', { direction: 'routed', interfaceIn: TUNNEL, interfaceOut: TUNNEL }),
  ],
  metrics: (facts) => [
    ...(facts.gatewayAddress === null
      ? []
      : onTunnel('metrics-grafana-gateway', facts, { ...GRAFANA, source: facts.gatewayAddress })),
    ...onTunnel('metrics-grafana-isolation', facts, { ...GRAFANA, action: 'deny' }),
  ],
  ingress: (facts) =>
    facts.servesPublicRoutes
      ? [
          named('ingress-http', { protocol: 'tcp', port: '80' }),
          named('ingress-https', { protocol: 'tcp', port: '443' }),
        ]
      : [],
  'app-dev': () => [],
  'app-prod': () => [],
  database: () => [],
  router: () => [],
  websocket: (facts) =>
    onTunnel('websocket-tls', facts, { protocol: 'tcp', port: String(facts.websocketPort) }),
  analytics: () => [],
} as const satisfies Record<RoleName, Make>

/** Names of the rules that a role may have, so that taking it away leaves none. */
export const ROLE_RULE_NAMES = {
  gateway: ['gateway-https'],
  vpn: ['vpn-hub', 'vpn-dns', 'vpn-forward'],
  metrics: ['metrics-grafana-gateway', 'metrics-grafana-isolation'],
  ingress: ['ingress-http', 'ingress-https'],
  'app-dev': [],
  'app-prod': [],
  database: [],
  router: [],
  websocket: ['websocket-tls'],
  analytics: [],
} as const satisfies Record<RoleName, readonly ManagedName[]>

/** Everything that a Node with these roles has, in file order; public SSH is open while it has no role (NODE-129). */
export function managedRulesOf(facts: ManagedFacts, roles: readonly RoleName[]): readonly ManagedRule[] {
  const baseline = [...members(facts), ...(roles.length === 0 ? recovery(facts) : []), ...lanRules(facts.lan)]
  const rules: readonly ManagedRule[] = [
    ...baseline.map((rule) => ({ ...rule, role: null })),
    ...roles.flatMap((role) => ROLE_RULES[role](facts).map((rule) => ({ ...rule, role }))),
  ]
  return rules.toSorted((one, other) => managedNames.indexOf(one.name) - managedNames.indexOf(other.name))
}
