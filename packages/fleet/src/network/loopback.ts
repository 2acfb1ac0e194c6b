import ipaddr from 'ipaddr.js'

/** An address or name that means another machine for each machine that uses it, however it is written. */
export function isLoopback(host: string): boolean {
  const plain = plainHost(host)
  if (ipaddr.isValid(plain)) return ITSELF.has(ipaddr.process(plain).range())
  return NAMES.has(plain) || plain.endsWith('.localhost')
}

/** What the resolvers of Linux make of it: `0177.1` and `2130706433` are addresses too. */
function plainHost(host: string): string {
  const [address = ''] = host.split('%')
  const given = address.includes(':') ? `[${address}]` : host
  return (URL.parse(`http://${given}`)?.hostname ?? host)
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

/** Ranges, also of IPv4 within IPv6: an address that means none is the machine itself to who connects to it. */
const ITSELF: ReadonlySet<string> = new Set(['loopback', 'unspecified'])

/** Of `/etc/hosts` in the usual distributions. */
const NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
  'ip6-localhost',
  'ip6-loopback',
])
