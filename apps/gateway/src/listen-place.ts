import { isIP, SocketAddress } from 'node:net'

/** Where the gateway listens. */
export interface ListenPlace {
  readonly address: string
  readonly port: number
}

/** Of one part of FLEET_LISTEN; in words what is wrong with it, otherwise. */
export function placeOf(text: string): ListenPlace | string {
  const [, six, four = '', digits] = /^\s*(?:\[([0-9a-fA-F:]+)\]|([0-9.]+)):(\d{1,5})\s*$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return 'must be address:port, or several separated by commas'
  const [address, family] = six === undefined ? ([four, 'ipv4'] as const) : ([six, 'ipv6'] as const)
  if (isIP(address) !== (six === undefined ? 4 : 6)) return `${address} is not an IP address`
  return { address: new SocketAddress({ address, family }).address, port }
}

/** Whether nobody can listen at a place beside another: the addresses `0.0.0.0` and `::` include the others. Any free port is not one. */
export const covers = (one: ListenPlace, { address, port }: ListenPlace): boolean =>
  one.port === port &&
  port !== 0 &&
  (one.address === address || one.address === '::' || (one.address === '0.0.0.0' && isIP(address) === 4))
