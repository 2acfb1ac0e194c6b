import { ROOT_FILES, textFile } from '@fleet/shell'

/** Over $root. */
const PEER_LOCK = textFile('peer-lock.sh', import.meta.url)

/** What every script of the tunnel starts with. */
export const TUNNEL: readonly string[] = [ROOT_FILES, textFile('tunnel.sh', import.meta.url), PEER_LOCK]

/** Functions over the desired configuration and the tunnel as it runs. */
export const RUNNING = textFile('running-tunnel.sh', import.meta.url)

/** Functions over the desired state of the resolver. */
export const RESOLVER = textFile('resolver.sh', import.meta.url)

/**
 * /etc/wireguard/fleet.hook, which wg-quick runs: `up` points the tunnel's link of systemd-resolved at the fleet's DNS as
 * the state file says, `forward` and `unforward` let members of the tunnel reach each other through the hub. It never fails:
 * a tunnel without private names is better than none.
 */
export const HOOK = [
  textFile('hook-start.sh', import.meta.url),
  PEER_LOCK,
  textFile('fleet-hook.sh', import.meta.url),
].join('\n')
