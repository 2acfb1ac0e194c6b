import { fail } from '@fleet/contract'
import type { DnsDeps } from '#/dns/deps.ts'
import { DNS_PLACES, dnsService } from '#/dns/service/dns.ts'
import { ensureService, removeService } from '#/managed-services/api.ts'
import { tunnelRange } from '#/network/api.ts'
import { identityOf, type NodeSession } from '#/nodes/api.ts'

/** Installs what differs; one round trip when nothing does. Throws `dns.*`, `cli.*`, `vpn.*` and the codes of NodeSession. */
export async function installOn(
  deps: DnsDeps,
  session: NodeSession,
  { force }: { readonly force: boolean },
): Promise<'applied' | 'unchanged'> {
  const { node } = session
  const { wireguard_ip: address } = node
  if (address === null) throw fail('vpn.peer_address_missing', { details: { node: identityOf(node) } })
  const settings = await deps.network.settings()
  const isTunnel = settings ? tunnelRange(settings) : () => false
  const service = dnsService({ node, address, isTunnel })
  return (await ensureService(deps, session, service, { force })).outcome
}

export const removeFrom = async (deps: DnsDeps, session: NodeSession): Promise<void> =>
  void (await removeService(deps, session, DNS_PLACES))
