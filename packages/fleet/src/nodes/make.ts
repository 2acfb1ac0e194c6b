import type { Clock } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import { nodeAnswers } from '#/nodes/answers.ts'
import { makeAccessAdd } from '#/nodes/access-add.ts'
import { makeAccessRemove } from '#/nodes/access-remove.ts'
import { makeExcludedProjectAdd } from '#/nodes/excluded-project-add.ts'
import { makeExcludedProjectList } from '#/nodes/excluded-project-list.ts'
import { makeExcludedProjectRemove } from '#/nodes/excluded-project-remove.ts'
import { makeExclusions } from '#/nodes/exclusions/exclusions.ts'
import { isExcluded } from '#/nodes/exclusions/queries.ts'
import { hasGrant, servingIdsOf } from '#/nodes/grants/queries.ts'
import { makeNodeLocators, type NodeLocators } from '#/nodes/locators.ts'
import { makeList } from '#/nodes/list.ts'
import type { DevelopmentInstances, NodeNames } from '#/nodes/ports.ts'
import {
  findBarredAddresses,
  findCaller,
  findGatewayNode,
  findIdentities,
  findIdentity,
  findNode,
  listNodes,
} from '#/nodes/queries.ts'
import { makeRegistry } from '#/nodes/registry.ts'
import { makeResolve } from '#/nodes/resolve.ts'
import { makeRename } from '#/nodes/rename.ts'
import { makeRoleHolders, type RoleHolders } from '#/nodes/assignments/holders.ts'
import { findHolders } from '#/nodes/assignments/queries.ts'
import type { NodeRegistry, Nodes } from '#/nodes/nodes.ts'
import { makeSessions } from '#/nodes/sessions.ts'
import { makeShow } from '#/nodes/show.ts'
import { makeUpdates, type NodeUpdates } from '#/nodes/updates.ts'

export interface NodesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ssh: SshPool
  readonly placements: DevelopmentInstances
  readonly names: NodeNames
}

export type NodeHandlers = HandlersOf<
  | 'node:list'
  | 'node:show'
  | 'node:resolve'
  | 'node:rename'
  | 'node:access:add'
  | 'node:access:remove'
  | 'node:excluded-project:list'
  | 'node:excluded-project:add'
  | 'node:excluded-project:remove'
>

export interface NodesDomain {
  readonly handlers: NodeHandlers
  readonly locators: NodeLocators
  readonly nodes: Nodes
  readonly registry: NodeRegistry
  readonly holders: RoleHolders
  readonly updates: NodeUpdates
}

/** The machines of the fleet and who may act on them. */
export function makeNodes(deps: NodesDeps): NodesDomain {
  const exclusions = makeExclusions(deps)
  const nodes = makeLookups(deps.store, {
    sessions: makeSessions(deps.ssh),
    exclusions,
    answers: (call, node) => nodeAnswers(deps.ssh, call, node),
  })
  return {
    handlers: makeHandlers(deps, nodes),
    locators: makeNodeLocators(deps.store),
    nodes,
    registry: makeRegistry(deps.store, deps.clock),
    holders: makeRoleHolders(deps.store),
    updates: makeUpdates(deps.store, deps.clock),
  }
}

const makeHandlers = ({ store, clock, names }: NodesDeps, nodes: Nodes): NodeHandlers => ({
  'node:list': makeList(store),
  'node:show': makeShow(store, nodes.exclusions),
  'node:resolve': makeResolve(store, nodes),
  'node:rename': makeRename(store, names),
  'node:access:add': makeAccessAdd(store, clock),
  'node:access:remove': makeAccessRemove(store),
  'node:excluded-project:list': makeExcludedProjectList(store, nodes.exclusions),
  'node:excluded-project:add': makeExcludedProjectAdd(store, nodes.exclusions),
  'node:excluded-project:remove': makeExcludedProjectRemove(store, nodes.exclusions),
})

const makeLookups = ({ db }: Store, ways: Pick<Nodes, 'sessions' | 'exclusions' | 'answers'>): Nodes => ({
  find: (id) => findNode(db, id),
  findCaller: (address) => findCaller(db, address),
  list: () => listNodes(db),
  identity: (id) => findIdentity(db, id),
  identities: async (ids) => (ids.length === 0 ? [] : findIdentities(db, ids)),
  gateway: () => findGatewayNode(db),
  holdersOf: async (role) => {
    const ids = (await findHolders(db, [role])).map(({ node_id }) => node_id)
    return ids.length === 0 ? [] : findIdentities(db, ids)
  },
  mayActOn: async (consumerId, servingId) =>
    consumerId === servingId || (await hasGrant(db, consumerId, servingId)),
  addressable: async (caller) => new Set([caller.id, ...(await servingIdsOf(db, caller.id))]),
  hasGatewayGrant: async (caller) => {
    if (caller.isGateway) return true
    const gateway = await findGatewayNode(db)
    return gateway !== undefined && hasGrant(db, caller.id, gateway.id)
  },
  barredAddresses: () => findBarredAddresses(db),
  isExcluded: (projectId, nodeId) => isExcluded(db, projectId, nodeId),
  ...ways,
})
