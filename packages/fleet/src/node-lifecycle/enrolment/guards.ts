import { fail, invalid, type RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import {
  appsPathRefusal,
  identityOf,
  listAllRoles,
  listPinned,
  type NodeRecord,
  readAppsPath,
} from '#/nodes/api.ts'
import { nodeAddRefusal, type RoleContext } from '#/roles/api.ts'
import { requireLinuxUser, requireManagedUser } from './linux-user.ts'
import type { AddInput, LifecycleDeps } from './provisioning.ts'

/** What the request alone can be refused for, before anything is read. */
export function requireSupported(input: AddInput): void {
  if (input.platform === 'macos')
    throw fail('node.platform_unsupported', { message: 'Fleet manages Linux machines only.' })
  if (input.user !== undefined) requireLinuxUser(input.user)
  if (input.fleet_user !== undefined) requireManagedUser(input.fleet_user)
  if (input.settings !== undefined && readAppsPath(input.settings) === undefined)
    throw fail('node.settings_invalid')
  const roles = input.roles ?? []
  if (new Set(roles).size !== roles.length) throw invalid({ roles: ['a role is listed twice'] })
}

/** Every refusal that needs the Node as it is going to be, and the Cluster that it is in now; nothing has changed by then. */
export async function requireAllowed(
  deps: LifecycleDeps,
  call: Call,
  node: NodeRecord,
  input: AddInput,
  memberOf: number | null,
): Promise<void> {
  if (node.ssh_host_fingerprint === null && (input.host_key_fingerprint ?? null) === null)
    throw fail('node.ssh_host_fingerprint_required')
  await requireOwnMachine(deps, node, input)
  requireSettings(deps, node, input)
  const roles = await requireRoles(deps, node, input.roles ?? [])
  const { membership } = deps.services
  const clusterId = input.cluster_id ?? null
  if (clusterId !== null)
    await membership.requireAttachable(call, clusterId, { ...node, cluster_id: memberOf })
  if (roles.includes('app-dev') && node.tld === null && (await membership.tldOf(node)) === null)
    throw fail('node.tld_required')
}

/** Throws `node.converge_conflict` for a machine that is another Node already. */
async function requireOwnMachine(deps: LifecycleDeps, node: NodeRecord, input: AddInput): Promise<void> {
  const approved = input.host_key_fingerprint ?? null
  if (node.ssh_host_fingerprint !== null || approved === null) return
  await requireOnlyMachine(deps, node, approved)
}

/** The same for a machine with this host key. */
export async function requireOnlyMachine(
  { store }: LifecycleDeps,
  node: NodeRecord,
  fingerprint: string,
): Promise<void> {
  const [other] = await namesakesOf(store.db, node, fingerprint)
  if (other) throw isOther(other)
}

/**
 * Of two requests at one moment that give a machine two names, the one that was recorded first goes on: each has recorded the key of the
 * machine before it looks for the other.
 */
export async function requireFirst(
  { store }: LifecycleDeps,
  node: NodeRecord,
  fingerprint: string,
): Promise<void> {
  const earlier = (await namesakesOf(store.db, node, fingerprint)).find(({ id }) => id < node.id)
  if (earlier) throw isOther(earlier)
}

/**
 * Other Nodes whose machine has this host key and this address. A machine is one Node: under a second name it would lose the rules
 * and the tunnel of the first. Copies of a machine have its host key, but not its address.
 */
async function namesakesOf(
  db: Database,
  node: NodeRecord,
  fingerprint: string,
): Promise<readonly NodeRecord[]> {
  const pinned = await listPinned(db, fingerprint)
  return pinned.filter((one) => one.id !== node.id && addressOf(one) === addressOf(node))
}

const isOther = (holder: NodeRecord): Error =>
  fail('node.converge_conflict', {
    message: `The machine at this address is already the Node ${holder.name}. To converge it, use that name; to give it another name, use \`fleet node:rename\`.`,
    details: { holder: identityOf(holder) },
  })

const addressOf = ({ public_ssh_host: host, public_ssh_port: port }: NodeRecord): string =>
  `${host?.toLowerCase()} ${port}`

function requireSettings({ protectedPaths }: LifecycleDeps, node: NodeRecord, input: AddInput): void {
  const path = input.settings === undefined ? null : readAppsPath(input.settings)
  if (path === undefined || path === null) return
  const facts = { userHome: node.user_home, protectedPaths, checkoutPaths: [] }
  const refusal = appsPathRefusal(path, facts)
  if (refusal) throw fail(refusal)
}

/** What the Node and the others hold, to which these may be added. Throws `node.role_conflict` (ROLE-013). */
export async function requireCompatible(
  db: Database,
  node: Pick<NodeRecord, 'id'>,
  roles: readonly RoleName[],
): Promise<RoleContext> {
  const rows = await listAllRoles(db)
  const namesOf = (own: boolean): RoleName[] =>
    rows.filter((row) => (row.node_id === node.id) === own).map((row) => row.role)
  const context = { onNode: namesOf(true), elsewhere: namesOf(false) }
  const refusal = nodeAddRefusal(roles, context)
  if (refusal) throw refusal
  return context
}

/** The roles that the Node is going to have. Throws `node.role_conflict` (ROLE-013). */
async function requireRoles(
  { store }: LifecycleDeps,
  node: NodeRecord,
  roles: readonly RoleName[],
): Promise<readonly string[]> {
  const { onNode, elsewhere } = await requireCompatible(store.db, node, roles)
  if (![...roles, ...onNode, ...elsewhere].includes('vpn'))
    throw fail('node.capability_missing', {
      message: 'The fleet has no hub yet: its first Node needs the roles gateway and vpn.',
    })
  return [...onNode, ...roles]
}
