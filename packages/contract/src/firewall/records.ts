import * as z from 'zod'
import { roleNames } from '../nodes/records.ts'
import { id } from '../params.ts'
import { normalizeSource } from './source.ts'

export const firewallActions = ['allow', 'deny'] as const
export type FirewallAction = (typeof firewallActions)[number]

export const firewallProtocols = ['tcp', 'udp'] as const
export type FirewallProtocol = (typeof firewallProtocols)[number]

export const firewallStatuses = ['provisioning', 'active', 'failed', 'removing'] as const
export type FirewallStatus = (typeof firewallStatuses)[number]

/** `absent`: the Node has no firewall program. A Node that does not answer has no status: the request fails. */
export const backendStatuses = ['active', 'inactive', 'absent'] as const
export type BackendStatus = (typeof backendStatuses)[number]

/** What the work on a rule was at when it failed, with the code of its failure (FW-023). */
export const firewallSteps = {
  apply: 'firewall.apply_failed',
  verify: 'firewall.verify_failed',
  remove: 'firewall.remove_failed',
  'remove-verify': 'firewall.remove_verify_failed',
} as const
export type FirewallStep = keyof typeof firewallSteps

const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/

/** Unique on the Node (FW-007). */
export const firewallRuleName = z
  .string()
  .regex(
    NAME,
    'must be 1 to 63 lowercase letters, digits, dots, underscores or hyphens, with a letter or digit at both ends',
  )

/** A port or `low:high` (FW-008). */
export const firewallPort = z
  .string()
  .max(11)
  .refine(isPort, 'must be a port from 1 to 65535, or two of them as low:high')

/** `any`, an address or a network, spelled in one way (FW-009). */
export const firewallSource = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => normalizeSource(text) !== undefined, 'must be `any`, an IP address or a CIDR network')
  .transform((text) => normalizeSource(text) ?? text)

function isPort(text: string): boolean {
  if (!/^[1-9]\d{0,4}(?::[1-9]\d{0,4})?$/.test(text)) return false
  const [low = 0, high] = text.split(':').map(Number)
  return high === undefined ? low <= 65535 : low < high && high <= 65535
}

/** A rule that an operator made (FW-001). It never changes: another one takes its place (EV-078). */
export const firewallRule = z.strictObject({
  id,
  node_id: id,
  /** Name of the Node. */
  node: z.string(),
  name: z.string(),
  action: z.enum(firewallActions),
  source: z.string(),
  protocol: z.enum(firewallProtocols),
  port: z.string(),
  status: z.enum(firewallStatuses),
  /** The firewall of the Node as the last change of the rule found it; null when none has. */
  backend_status: z.enum(backendStatuses).nullable(),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
})
export type FirewallRuleData = z.output<typeof firewallRule>

/** `routed`: for packets that pass through the Node. */
export const firewallDirections = ['in', 'out', 'routed'] as const

const place = {
  source: z.string(),
  destination: z.string(),
  port: z.string(),
  protocol: z.string(),
  /** Null when the rule is for every interface. */
  interface: z.string().nullable(),
  direction: z.enum(firewallDirections),
}

/** A rule that Fleet itself wants on a Node (FW-011). */
export const managedFirewallRule = z.strictObject({
  /** Its comment on the Node is `fleet:` and this. */
  name: z.string(),
  /** Null for what every Node has. */
  role: z.enum(roleNames).nullable(),
  action: z.enum(firewallActions),
  ...place,
})
export type ManagedFirewallRuleData = z.output<typeof managedFirewallRule>

export const firewallMatches = ['exact', 'drift', 'unmanaged', 'missing'] as const

/** A rule as found on the Node, or as missing there (FW-013). */
export const liveFirewallRule = z.strictObject({
  /** Null for a rule that is not of the fleet. */
  name: z.string().nullable(),
  comment: z.string().nullable(),
  action: z.enum(['allow', 'deny', 'reject', 'limit']),
  ...place,
  family: z.enum(['ipv4', 'ipv6']),
  /** Only IPv4 rules are compared; null for the others (FW-014). */
  match: z.enum(firewallMatches).nullable(),
})
export type LiveFirewallRuleData = z.output<typeof liveFirewallRule>

export const liveFirewall = z.strictObject({
  backend_status: z.enum(backendStatuses),
  /** In the order in which they are tried. */
  live: z.array(liveFirewallRule),
  missing: z.array(liveFirewallRule),
})
export type LiveFirewallData = z.output<typeof liveFirewall>
