import ipaddr from 'ipaddr.js'

/**
 * One spelling for each source: `any`, an address, or a network as its first address and a prefix; IPv6 as in RFC 5952.
 * A network of one address is that address. Undefined for anything else: zones, octets with leading zeros, and
 * IPv4-mapped IPv6 addresses, which no packet carries (FW-009).
 */
export function normalizeSource(text: string): string | undefined {
  if (text.toLowerCase() === 'any') return 'any'
  const [address = '', prefix, more] = text.split('/')
  if (more !== undefined || !isPlain(address)) return undefined
  if (prefix === undefined) return ipaddr.isValid(address) ? spelled(ipaddr.parse(address)) : undefined
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix) || !ipaddr.isValidCIDR(text)) return undefined
  const [parsed, length] = ipaddr.parseCIDR(text)
  const first =
    parsed.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text)
  const whole = parsed.kind() === 'ipv4' ? 32 : 128
  return length === whole ? spelled(first) : `${spelled(first)}/${length}`
}

/** Four decimal octets, or IPv6 without a zone that is no IPv4 address in disguise; the library takes much more. */
function isPlain(address: string): boolean {
  if (/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(address)) return true
  if (!/^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/.test(address) || !ipaddr.IPv6.isValid(address)) return false
  return !ipaddr.IPv6.parse(address).isIPv4MappedAddress()
}

const spelled = (address: ipaddr.IPv4 | ipaddr.IPv6): string =>
  address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
