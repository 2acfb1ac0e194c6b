import type { NodeRecord } from '#/nodes/api.ts'
import { firstSession, learn, type Provisioning, tunnelSession } from '../provisioning.ts'

/** Step 4: the tunnel, and SSH over it with the pinned key (NODE-053). A new `vpn` Node becomes the hub. */
export async function joinTunnel(provisioning: Provisioning): Promise<void> {
  const { deps, node, roles } = provisioning
  const isHub = roles.includes('vpn') || node.activeRoles.includes('vpn')
  const { publicKey } = await deps.services.tunnel.join(firstSession(provisioning, node.user), { isHub })
  if (publicKey !== node.wireguard_public_key) await learn(provisioning, { wireguard_public_key: publicKey })
}

/** The machine gets its earlier tunnel configuration back, where the new one says something else. */
export async function rejoinAsBefore(provisioning: Provisioning, earlier: NodeRecord): Promise<void> {
  const { deps, call, node } = provisioning
  const changed =
    earlier.tld !== node.tld ||
    earlier.wireguard_endpoint_override !== node.wireguard_endpoint_override ||
    earlier.dns_server_override !== node.dns_server_override
  if (!changed) return
  const session = deps.sessions.overTunnel(call, earlier)
  await deps.services.tunnel.join(session, { isHub: earlier.activeRoles.includes('vpn') })
}

/** Every tunnel peer may reach the Node on its tunnel address. */
export const admitMembers = (provisioning: Provisioning): Promise<void> =>
  provisioning.deps.services.firewall.admitMembers(tunnelSession(provisioning))
