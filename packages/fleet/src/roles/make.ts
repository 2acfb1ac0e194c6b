import type { Store } from '@fleet/store'
import type { Clock } from '@fleet/kernel'
import type { HandlersOf } from '#/handler.ts'
import type { ClusterMembership } from '#/clusters/api.ts'
import type { Dns } from '#/dns/api.ts'
import type { NodeFirewall } from '#/firewall/api.ts'
import type { Tunnel } from '#/network/api.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import type { WebsocketService } from '#/realtime/api.ts'
import { makeRoleChecks } from '#/roles/checks/make.ts'
import { makeRoleAdd } from '#/roles/role-add.ts'
import { makeRoleList } from '#/roles/role-list.ts'
import { makeRoleRelocate } from '#/roles/role-relocate.ts'
import { makeRoleRemove } from '#/roles/role-remove.ts'
import { makeRoleServices, type RoleServices } from '#/roles/services.ts'
import type { RoleOperationParts } from '#/roles/subject.ts'

export interface RolesParts {
  readonly store: Store
  readonly clock: Clock
  readonly firewall: Pick<NodeFirewall, 'applyRole' | 'withdrawRole'>
  readonly membership: Pick<ClusterMembership, 'tldOf'>
  readonly tunnel: Pick<Tunnel, 'publish'>
  readonly dns: Pick<Dns, 'ensure'>
  /** The server of the feed on its Node. */
  readonly websocket: Pick<WebsocketService, 'requireCapable' | 'convergence' | 'removal'>
}

export interface RolesDomain {
  readonly services: RoleServices
  readonly checks: FamilyChecks
}

export const makeRoles = (parts: RolesParts): RolesDomain => ({
  services: makeRoleServices(parts),
  checks: makeRoleChecks(parts),
})

export type RoleHandlers = HandlersOf<
  'node:role:list' | 'node:role:add' | 'node:role:remove' | 'node:role:relocate'
>

/** Everything that happens under the role lock of a Node. */
export const makeRoleHandlers = (parts: RoleOperationParts): RoleHandlers => ({
  'node:role:list': makeRoleList(parts.store),
  'node:role:add': makeRoleAdd(parts),
  'node:role:remove': makeRoleRemove(parts),
  'node:role:relocate': makeRoleRelocate(parts),
})
