import { fail } from '@fleet/contract'
import type { NodeRecord } from '#/nodes/api.ts'
import { requireManagedUser } from './linux-user.ts'
import type { AddInput } from './provisioning.ts'

/** Members that say which machine a Node is; only retarget changes the first two, and nothing the third. */
const IDENTITY = ['public_ssh_host', 'public_ssh_port', 'wireguard_ip', 'platform'] as const
const CHANGEABLE = ['tld', 'lan_ip', 'wireguard_endpoint_override', 'dns_server_override'] as const

/** A machine that nobody has reached yet: whatever the request says of it may still be corrected. */
export const isUntouched = ({ ssh_host_fingerprint: pin, provisioned_at }: NodeRecord): boolean =>
  pin === null && provisioned_at === null

/**
 * The recorded Node as the request wants it: a member that is not named stays, null clears. Throws
 * `node.user_change_unsupported` and `node.converge_conflict` with the members that do not change.
 */
export function desiredRecord(recorded: NodeRecord, input: AddInput): NodeRecord {
  const named = Object.fromEntries(CHANGEABLE.map((member) => [member, input[member] ?? null]))
  const changed = CHANGEABLE.filter((member) => input[member] !== undefined)
  const values = Object.fromEntries(changed.map((member) => [member, named[member]]))
  const desired = { ...recorded, ...values, cluster_id: input.cluster_id ?? recorded.cluster_id }
  if (isUntouched(recorded)) return { ...desired, ...correctedIdentity(recorded, input) }
  if (input.fleet_user !== undefined && input.fleet_user !== recorded.user)
    throw fail('node.user_change_unsupported', { details: { user: recorded.user } })
  const members = IDENTITY.filter((member) => isOther(input[member], recorded[member]))
  if (members.length > 0) throw fail('node.converge_conflict', { details: { members } })
  return desired
}

/** True when the request asks for nothing but another top-level domain, or the rest of a change to the recorded one (NODE-061). */
export function changesTldAlone(recorded: NodeRecord, input: AddInput, isBehind: boolean): boolean {
  const { tld, roles = [] } = input
  if (!recorded.activeRoles.includes('app-dev') || tld === undefined) return false
  if (tld === recorded.tld && !isBehind) return false
  const others = CHANGEABLE.filter((member) => member !== 'tld')
  return (
    input.settings === undefined &&
    !isOther(input.cluster_id, recorded.cluster_id) &&
    roles.every((role) => recorded.activeRoles.includes(role)) &&
    others.every((member) => input[member] === undefined || input[member] === recorded[member])
  )
}

function correctedIdentity(recorded: NodeRecord, input: AddInput): Partial<NodeRecord> {
  const user = input.fleet_user === undefined ? recorded.user : requireManagedUser(input.fleet_user)
  const port = input.public_ssh_port ?? recorded.public_ssh_port ?? 22
  return {
    public_ssh_host: input.public_ssh_host ?? recorded.public_ssh_host,
    public_ssh_port: port,
    ssh_port: port,
    wireguard_ip: input.wireguard_ip ?? recorded.wireguard_ip,
    user,
    user_home: `/home/${user}`,
  }
}

const isOther = (given: string | number | null | undefined, stored: string | number | null): boolean =>
  given !== undefined && given !== null && given !== stored
