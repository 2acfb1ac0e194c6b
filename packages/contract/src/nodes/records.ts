import * as z from 'zod'
import { id, nullableId, registryName } from '../params.ts'

export const nodeStatuses = ['provisioning', 'active', 'failed'] as const
export type NodeStatus = (typeof nodeStatuses)[number]

export const roleNames = [
  'gateway',
  'vpn',
  'app-dev',
  'app-prod',
  'database',
  'ingress',
  'router',
  'websocket',
  'metrics',
  'analytics',
] as const
export type RoleName = (typeof roleNames)[number]

export const roleStatuses = ['provisioning', 'active', 'failed', 'removing'] as const

/** `{id, name}` of a Node, as errors and access lists carry it. */
export const nodeIdentity = z.strictObject({ id, name: z.string() })
export type NodeIdentity = z.output<typeof nodeIdentity>

/** Stored settings; null when no path is stored, never the derived default (NODE-015). */
export const nodeSettings = z.strictObject({ apps: z.strictObject({ path: z.string() }) })

/** What updates a Node now: the rollout that visits it, or the release that its gateway moves to. The other id is null. */
export const nodeUpdating = z.strictObject({
  kind: z.enum(['fleet_rollout', 'gateway_release']),
  since: z.string(),
  rollout: z.string().nullable(),
  release: z.string().nullable(),
})
export type NodeUpdating = z.output<typeof nodeUpdating>

/** A machine of the fleet (section NODE). Secrets and credentials are no part of it (NODE-019). */
export const node = z.strictObject({
  id,
  cluster_id: nullableId,
  name: registryName,
  status: z.enum(nodeStatuses),
  platform: z.enum(['linux', 'macos']).nullable(),
  architecture: z.string().nullable(),
  tld: z.string().nullable(),
  public_ssh_host: z.string().nullable(),
  public_ssh_port: z.int().nullable(),
  user: z.string(),
  wireguard_ip: z.string().nullable(),
  wireguard_public_key: z.string().nullable(),
  wireguard_endpoint_override: z.string().nullable(),
  dns_server_override: z.string().nullable(),
  lan_ip: z.string().nullable(),
  ssh_host_fingerprint: z.string().nullable(),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
  roles: z.array(z.enum(roleNames)),
  settings: nodeSettings.nullable(),
  updating: nodeUpdating.nullable(),
})
export type NodeData = z.output<typeof node>

/** Answer of enrolling or converging one. */
export const nodeAddition = node.extend({
  /** What the firewall closed that this request turned on, and the command that opens each port; a line for each. */
  follow_up: z.string().nullable(),
})
export type NodeAdditionData = z.output<typeof nodeAddition>

/** One Project that a Node does not take for development (NODE-115). */
export const exclusion = z.strictObject({
  project_id: id,
  project_slug: z.string(),
  node_id: id,
  node_name: z.string(),
  development_instance_count: z.int().min(0),
})
export type ExclusionData = z.output<typeof exclusion>

/** Response to adding and removing one: the pair and whether it existed before. */
export const exclusionResult = exclusion.extend({ already_exists: z.boolean() })

/** Name of an account of a Linux machine, as useradd takes it. */
export const accountName = z
  .string()
  .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be 1 to 32 lowercase letters, digits, underscores or hyphens')

/** What show adds to the record (NODE-017, NODE-018). */
export const nodeDetail = node.extend({
  access: z.strictObject({ can_access: z.array(nodeIdentity), accessible_by: z.array(nodeIdentity) }),
  excluded_projects: z.array(exclusion),
  /** Accounts that may call the gateway besides root; null without a limit. */
  callers: z.array(accountName).nullable(),
})
export type NodeDetailData = z.output<typeof nodeDetail>

export const roleAssignment = z.strictObject({
  id,
  role: z.enum(roleNames),
  status: z.enum(roleStatuses),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
})
export type RoleAssignmentData = z.output<typeof roleAssignment>

/** Answer of giving a role (ROLE-016). */
export const roleAddition = roleAssignment.extend({
  /** What does not work although the role does (NODE-132). */
  follow_up: z.string().nullable(),
})

/** Answer of taking a role away (ROLE-017). */
export const roleRemoval = z.strictObject({
  node_id: id,
  role: z.enum(roleNames),
  removed: z.boolean(),
  /** What stays behind and what to do about it. */
  follow_up: z.string().nullable(),
})

/** Answer of moving a role (ROLE-018). */
export const roleRelocation = z.strictObject({
  node_id: id,
  role: z.enum(roleNames),
  /** The Node that held the role before; null when it was on this Node alone already. */
  from: nullableId,
  relocated: z.boolean(),
  /** What did not come along and what to do about it. */
  follow_up: z.string().nullable(),
})
export type RoleRelocationData = z.output<typeof roleRelocation>

/** What carries a Node: its packages and its user, tunnel, firewall and resolver, checked by a converge with `force`. */
export const nodeParts = ['base', 'tunnel', 'firewall', 'resolver'] as const

/** What the gateway installs on Nodes besides roles (NODE-120), in the order in which it is applied. */
export const artifactNames = [
  ...nodeParts,
  'agent',
  'caddy',
  'php',
  'private-dns',
  'websocket',
  'proxycli',
  'annotator',
  'route-residue',
  'application-urls',
  'instance-residue',
  'processes',
  'schedules',
  'databases',
  'firewall-callers',
] as const
export type ArtifactName = (typeof artifactNames)[number]

export const artifactOutcomes = ['applied', 'unchanged', 'skipped'] as const

/** Answer of a footprint converge (NODE-123). */
export const footprint = z.strictObject({
  node_id: id,
  artifacts: z.array(
    z.strictObject({
      name: z.enum(artifactNames),
      outcome: z.enum(artifactOutcomes),
      error_code: z.string().nullable(),
      message: z.string().optional().describe('What a part that was skipped was refused for.'),
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .describe(
          'What an error with this code names in its details, such as the `reason` and the `path` on the Node.',
        ),
    }),
  ),
})
export type FootprintData = z.output<typeof footprint>
