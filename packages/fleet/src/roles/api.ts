export { makeRoles, type RolesDomain, type RolesParts } from './make.ts'
export type { RoleRuntime, VpnRuntime, WebsocketRuntime } from './ports.ts'
