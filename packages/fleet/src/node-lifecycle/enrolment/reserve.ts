import { fail, invalid } from '@fleet/contract'
import { isTaken } from '@fleet/store'
import type { Call } from '#/call.ts'
import { grantEnrolled, insertNode, type NodeRecord, requireNode } from '#/nodes/api.ts'
import { DEFAULT_MANAGED_USER, requireManagedUser } from './linux-user.ts'
import type { AddInput, LifecycleDeps } from './provisioning.ts'

/** A new Node as it is going to be; it has no id and no tunnel address yet. */
export function draftRecord(input: AddInput, now: string): NodeRecord {
  const { public_ssh_host } = input
  if (public_ssh_host === undefined) throw invalid({ public_ssh_host: ['is required for a new Node'] })
  const user = requireManagedUser(input.fleet_user ?? DEFAULT_MANAGED_USER)
  const port = input.public_ssh_port ?? 22
  return {
    id: 0,
    name: input.name,
    status: 'provisioning',
    platform: 'linux',
    architecture: null,
    tld: input.tld ?? null,
    cluster_id: input.cluster_id ?? null,
    public_ssh_host,
    public_ssh_port: port,
    user,
    user_home: `/home/${user}`,
    wireguard_ip: null,
    wireguard_public_key: null,
    wireguard_endpoint_override: input.wireguard_endpoint_override ?? null,
    dns_server_override: input.dns_server_override ?? null,
    lan_ip: input.lan_ip ?? null,
    ssh_host_fingerprint: null,
    ssh_port: port,
    apps_path: null,
    failed_step: null,
    error_code: null,
    agent_secret_hash: null,
    removal: null,
    updating: null,
    provisioned_at: null,
    created_at: now,
    activeRoles: [],
  }
}

/** Of requests that are given the same free address at once, all but one ask again. */
const ADDRESS_TRIES = 20

/** Records the Node with a tunnel address of its own and who may act on it, before anything is done on the machine (NODE-020, NODE-044). */
export async function reserveNode(
  { store, clock, services }: LifecycleDeps,
  call: Call,
  { id: _id, activeRoles: _roles, ...draft }: NodeRecord,
  wanted: string | null,
): Promise<NodeRecord> {
  for (let attempt = 1; ; attempt += 1) {
    const wireguard_ip = await services.tunnel.allocate(wanted)
    try {
      // A member only once it is attached, under the guards of its Cluster.
      const id = await store.transaction(async (db) => {
        const added = await insertNode(db, { ...draft, cluster_id: null, wireguard_ip })
        await grantEnrolled(db, added, call.caller?.id, clock.now().toISOString())
        return added
      })
      return { ...(await requireNode(store, id)), cluster_id: draft.cluster_id }
    } catch (error) {
      if (isTaken(error, 'nodes(name)')) throw fail('node.provisioning_busy', { cause: error })
      if (!isTaken(error, 'nodes(wireguard_ip)') || attempt === ADDRESS_TRIES) throw error
    }
  }
}
