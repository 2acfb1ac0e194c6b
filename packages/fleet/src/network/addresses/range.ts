/** A block of IPv4 addresses, as numbers. */
export interface AddressRange {
  readonly first: number
  readonly last: number
  readonly prefix: number
}

const OCTET = /^(?:0|[1-9]\d{0,2})$/

/** Undefined for anything but four plain decimal numbers up to 255. */
export function parseAddress(text: string): number | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let address = 0
  for (const part of parts) {
    if (!OCTET.test(part) || Number(part) > 255) return undefined
    address = address * 256 + Number(part)
  }
  return address
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')

/** Undefined unless it is `address/prefix` with the first address of the block. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = '', length = '', extra] = text.split('/')
  const first = parseAddress(address)
  if (first === undefined || extra !== undefined || !OCTET.test(length)) return undefined
  const prefix = Number(length)
  if (prefix > 32) return undefined
  const size = 2 ** (32 - prefix)
  return first % size === 0 ? { first, last: first + size - 1, prefix } : undefined
}

export const holds = ({ first, last }: AddressRange, address: number): boolean =>
  first <= address && address <= last

/** Neither the network's own address nor its broadcast address. */
export const isHostOf = (range: AddressRange, address: number): boolean =>
  holds(range, address) && address !== range.first && address !== range.last
