import type { Http2ServerRequest } from 'node:http2'
import ipaddr from 'ipaddr.js'
import { normalAddress } from './address.ts'

/** Problems with the host that a request names. */
export type HostFault = 'unreadable' | 'foreign'

/**
 * The host names that this gateway answers under. A page of another name whose DNS leads to the gateway would otherwise
 * be of the same origin as the gateway for its browser, and act with the grants of the Node that the browser runs on.
 */
export class ServedHosts {
  readonly #names: ReadonlySet<string>

  /** `names` are DNS names and addresses; an address without brackets. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map(canonical))
  }

  /** Every host that the request names has to be one of these, or the address that the client connected to. */
  faultOf({ headers, rawHeaders, url, socket }: NamedHosts): HostFault | undefined {
    const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
    // Node keeps the first of several, which a proxy before it may not have looked at (RFC 9112, 3.2).
    if (hosts.length > 1) return 'unreadable'
    for (const given of [headers[':authority'], headers.host, authorityOf(url)]) {
      if (given === undefined) continue
      const name = nameOf(given)
      if (name === undefined) return 'unreadable'
      if (!this.#names.has(name) && name !== normalAddress(socket.localAddress)) return 'foreign'
    }
    return undefined
  }
}

/** What a request says of its host. */
export type NamedHosts = Pick<Http2ServerRequest, 'headers' | 'rawHeaders' | 'url' | 'socket'>

/** That of a request target in absolute form, as proxies get it; a path has none. */
const authorityOf = (target: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]

/** The name before the port (RFC 9110, 7.2); a browser may end it with a dot, and writes any case. */
function nameOf(host: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{0,5})?$/i.exec(host) ?? []
  const name = bracketed ?? plain
  if (name === undefined || (bracketed !== undefined && !ipaddr.IPv6.isValid(bracketed))) return undefined
  return canonical(name.replace(/\.$/, ''))
}

const canonical = (name: string): string => normalAddress(name) || name.toLowerCase()
