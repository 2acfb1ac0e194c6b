import { parseAddress } from '#/network/addresses/range.ts'

/** Where the hub's UDP port answers. An IPv6 host has no brackets. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

const FORM =
  /^(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)):(?<port>[1-9]\d{0,4})$/
const DOTTED_NUMBERS = /^[\d.]+$/
const MAX_LENGTH = 255

/** `IPv4:port`, `host:port` or `[IPv6]:port`; undefined for anything else, such as a bare IPv6 address (NODE-046). */
export function parseEndpoint(text: string): Endpoint | undefined {
  const { six, host, port } = FORM.exec(text)?.groups ?? {}
  if (text.length > MAX_LENGTH || port === undefined || Number(port) > 65_535) return undefined
  const name = six ?? host
  if (name === undefined || (six !== undefined && !isIpv6(six))) return undefined
  if (DOTTED_NUMBERS.test(name) && parseAddress(name) === undefined) return undefined
  return { host: name, port: Number(port) }
}

export const formatEndpoint = ({ host, port }: Endpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

export const isIpv6 = (text: string): boolean => text.includes(':') && URL.canParse(`http://[${text}]/`)

/** True for an address, false for a name that somebody would have to look up. */
export const isAddress = (host: string): boolean => parseAddress(host) !== undefined || isIpv6(host)

export interface EndpointSources {
  /** The Node's own `wireguard_endpoint_override`. */
  readonly override: string | null
  /** The endpoint stored for the gateway. */
  readonly stored: string | null
  /** Public SSH host of the `vpn` Node. */
  readonly hubHost: string | null
  readonly hubPort: number
}

/** The first there is, in this order (NODE-049); undefined when there is none or the first is malformed. */
export function hubEndpoint({ override, stored, hubHost, hubPort }: EndpointSources): Endpoint | undefined {
  const named = override ?? stored
  if (named !== null) return parseEndpoint(named)
  return hubHost === null ? undefined : parseEndpoint(formatEndpoint({ host: hubHost, port: hubPort }))
}
