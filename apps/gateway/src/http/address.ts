import ipaddr from 'ipaddr.js'

/** A peer address in one written form: an IPv4 peer of a dual-stack socket is that IPv4 address. */
export const normalAddress = (address: string | undefined): string =>
  address && ipaddr.isValid(address) ? ipaddr.process(address).toString() : ''
