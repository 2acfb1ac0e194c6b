export type { Dns } from '#/dns/dns.ts'
export type { PrivateDns } from './names.ts'
export { makeDns, type DnsParts } from './make.ts'
export type { RouteName, RouteNames } from './ports.ts'
