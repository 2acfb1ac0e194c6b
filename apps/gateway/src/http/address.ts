import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A peer address in one written form: an IPv4 peer of a dual-stack socket is that IPv4 address. */
export function normalAddress(address: string | undefined): string {
  if (!address) return ''
  // The system writes an IPv4 peer in this form, so only the others need the parser.
  if (isIPv4(address)) return address
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : ''
}
