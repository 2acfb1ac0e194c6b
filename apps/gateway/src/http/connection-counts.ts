import ipaddr from 'ipaddr.js'

/** Connections at one time. */
export interface ConnectionLimits {
  readonly ofServer: number
  /** Of one address, whoever it belongs to. */
  readonly ofAddress: number
  /** Of one address that belongs to no Node; of one network with IPv6, where a host has as many addresses as it likes. */
  readonly ofStranger: number
  /** Of all addresses together that belong to no Node: the rest is left to the Nodes. */
  readonly ofStrangers: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  ofServer: 4096,
  ofAddress: 1024,
  ofStranger: 32,
  ofStrangers: 512,
}

/** How many connections each address has. */
export class ConnectionCounts {
  readonly #limits: ConnectionLimits
  readonly #ofAddress = new Map<string, number>()
  readonly #ofStranger = new Map<string, number>()
  #strangers = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Counts a new connection; undefined when it is one too many. The returned function ends its count. */
  enter(address: string): (() => void) | undefined {
    if ((this.#ofAddress.get(address) ?? 0) >= this.#limits.ofAddress) return undefined
    return counted(this.#ofAddress, address)
  }

  /** Counts a connection whose address belongs to no Node; undefined when it is one too many. */
  enterStranger(address: string): (() => void) | undefined {
    const network = networkOf(address)
    const { ofStranger, ofStrangers } = this.#limits
    if (this.#strangers >= ofStrangers || (this.#ofStranger.get(network) ?? 0) >= ofStranger) return undefined
    const leave = counted(this.#ofStranger, network)
    this.#strangers += 1
    return () => {
      this.#strangers -= 1
      leave()
    }
  }
}

function counted(counts: Map<string, number>, name: string): () => void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
  return () => {
    const left = (counts.get(name) ?? 1) - 1
    if (left > 0) counts.set(name, left)
    else counts.delete(name)
  }
}

/** The first 64 bits of an IPv6 address, which name its network; an IPv4 address as it is. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':')
}
