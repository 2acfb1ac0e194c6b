/** Files of the `vpn` Node that may name its resolvers; undefined where there is none. */
export interface ResolverFiles {
  /** /run/systemd/resolve/resolv.conf: what systemd-resolved asks itself. */
  readonly resolved: string | undefined
  /** /etc/resolv.conf. */
  readonly plain: string | undefined
  /** Leases of dhclient and systemd-networkd, one after the other. */
  readonly leases: string
}

const FALLBACK = ['1.1.1.1', '8.8.8.8']
const MAX_SERVERS = 6

/**
 * The servers for names that are not the fleet's (RTX-107): the machine's own IPv4 resolvers, else those of its lease,
 * else public ones. `isTunnel` recognizes an address of the private network: a query there would come back to itself.
 */
export function upstreamsOf(files: ResolverFiles, isTunnel: (address: string) => boolean): readonly string[] {
  const usable = (addresses: readonly string[]): readonly string[] =>
    [...new Set(addresses)].filter((address) => isServer(address) && !isTunnel(address)).slice(0, MAX_SERVERS)
  const own = usable(nameserversIn(files.resolved ?? files.plain ?? ''))
  if (own.length > 0) return own
  const leased = usable(leasedServers(files.leases))
  return leased.length > 0 ? leased : FALLBACK
}

const nameserversIn = (text: string): readonly string[] =>
  [...text.matchAll(/^[ \t]*nameserver[ \t]+([\d.]+)[ \t]*$/gm)].map(([, address = '']) => address)

/** `option domain-name-servers a, b;` of dhclient, whose last lease counts, or `DNS=a b` of systemd-networkd. */
function leasedServers(text: string): readonly string[] {
  const dhclient = [...text.matchAll(/^[ \t]*option domain-name-servers ([\d., ]+);/gm)].at(-1)?.[1]
  const networkd = [...text.matchAll(/^DNS=([\d. ]+)$/gm)].map(([, servers = '']) => servers)
  return [dhclient ?? '', ...networkd].flatMap((servers) => servers.split(/[ ,]+/))
}

// Loopback is the machine itself, and 0.0.0.0 is another word for it.
const isServer = (address: string): boolean => {
  const parts = address.split('.').map(Number)
  const isAddress = parts.length === 4 && /^\d/.test(address) && parts.every((part) => part <= 255)
  return isAddress && parts[0] !== 127 && parts[0] !== 0
}
