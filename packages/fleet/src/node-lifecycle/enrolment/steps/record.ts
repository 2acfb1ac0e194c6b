import type { NewRow } from '@fleet/store'
import { type NodeRecord, updateNode } from '#/nodes/api.ts'
import { type Provisioning, rollBack } from '../provisioning.ts'

const COLUMNS = [
  'tld',
  'lan_ip',
  'wireguard_ip',
  'wireguard_public_key',
  'wireguard_endpoint_override',
  'dns_server_override',
  'architecture',
  'platform',
  'public_ssh_host',
  'public_ssh_port',
  'ssh_port',
  'ssh_host_fingerprint',
  'user_home',
] as const satisfies readonly (keyof NodeRecord)[]

/** An active Node's record takes the new values: what is rendered from records follows (step 6). */
export const storeRecord = ({ deps, node }: Provisioning): Promise<void> =>
  updateNode(deps.store.db, node.id, valuesOf(node))

/** The earlier values again, and what was rendered from the newer ones rendered anew (NODE-022). */
export async function restoreRecord(provisioning: Provisioning, earlier: NodeRecord): Promise<void> {
  const { deps, call } = provisioning
  await updateNode(deps.store.db, earlier.id, valuesOf(earlier))
  await rollBack(provisioning, 'wireguard', () => deps.services.tunnel.publish(call))
  await rollBack(provisioning, 'private-dns', () => deps.services.dns.publish(call))
  if (earlier.lan_ip !== provisioning.node.lan_ip)
    await rollBack(provisioning, 'lan-sites', () => deps.services.routes.followLan(call, earlier))
}

/** Step 7 and the commit point: from here on a failure takes nothing back (NODE-056). */
export async function activate(provisioning: Provisioning): Promise<void> {
  const { deps, node } = provisioning
  const done = { status: 'active', failed_step: null, error_code: null, removal: null } as const
  await updateNode(deps.store.db, node.id, { ...valuesOf(node), ...done })
  provisioning.node = { ...node, ...done }
}

const valuesOf = (node: NodeRecord): Partial<NewRow<'nodes'>> =>
  Object.fromEntries(COLUMNS.map((column) => [column, node[column]]))
