import { fail, invalid, type RoleName, roleNames } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'

/** Where a role comes from. `cluster` is the Router of a Cluster, which no role operation touches. */
export type RoleAssigner = 'node-add' | 'role-add' | 'relocate' | 'cluster'

export interface RoleRule {
  readonly assignedBy: readonly RoleAssigner[]
  /** At most one Node of the fleet holds it. */
  readonly isSingleton: boolean
  /** It is taken away with DELETE on the role. */
  readonly isRemovable: boolean
  /** Roles that cannot be on the same Node; every pair is listed on both sides. */
  readonly conflicts: readonly RoleName[]
}

/** Facts 3.6, rows ROLE-001 to ROLE-012. */
export const ROLE_RULES = {
  gateway: {
    assignedBy: ['node-add', 'role-add', 'relocate'],
    isSingleton: true,
    isRemovable: true,
    conflicts: ['app-dev', 'app-prod', 'database', 'ingress', 'analytics'],
  },
  vpn: { assignedBy: ['node-add'], isSingleton: true, isRemovable: false, conflicts: ['database'] },
  'app-dev': {
    assignedBy: ['node-add', 'role-add'],
    isSingleton: false,
    isRemovable: true,
    conflicts: ['gateway', 'app-prod', 'ingress'],
  },
  'app-prod': {
    assignedBy: ['node-add', 'role-add'],
    isSingleton: false,
    isRemovable: true,
    conflicts: ['gateway', 'app-dev', 'database'],
  },
  database: {
    assignedBy: ['node-add', 'role-add'],
    isSingleton: false,
    isRemovable: true,
    conflicts: ['gateway', 'vpn', 'app-prod', 'ingress'],
  },
  ingress: {
    assignedBy: ['role-add'],
    isSingleton: false,
    isRemovable: true,
    conflicts: ['gateway', 'app-dev', 'database'],
  },
  router: { assignedBy: ['cluster'], isSingleton: false, isRemovable: false, conflicts: [] },
  websocket: {
    assignedBy: ['node-add', 'role-add', 'relocate'],
    isSingleton: true,
    isRemovable: true,
    conflicts: [],
  },
  metrics: {
    assignedBy: ['node-add', 'role-add', 'relocate'],
    isSingleton: true,
    isRemovable: true,
    conflicts: [],
  },
  analytics: { assignedBy: ['role-add'], isSingleton: false, isRemovable: true, conflicts: ['gateway'] },
} as const satisfies Record<RoleName, RoleRule>

const rule = (role: RoleName): RoleRule => ROLE_RULES[role]

export const isSingleton = (role: RoleName): boolean => rule(role).isSingleton

/** One Node has it for the whole fleet, and it may go to another one (ROLE-034). */
export const isRelocatable = (role: RoleName): boolean => rule(role).assignedBy.includes('relocate')

/** The first of the other roles that may never share a Node with this one. */
export const conflictWith = (role: RoleName, others: readonly RoleName[]): RoleName | undefined =>
  others.find((other) => rule(role).conflicts.includes(other))

/** Every pair of the roles that may never share a Node, once, in the order of the catalogue (ROLE-014). */
export const conflictingPairs = (roles: readonly RoleName[]): ReadonlyArray<readonly [RoleName, RoleName]> =>
  roles.flatMap((role, at) =>
    roles.slice(at + 1).flatMap((other) => (conflictWith(role, [other]) ? [[role, other] as const] : [])),
  )

/** What a Node and the fleet hold already, whatever the status of the assignments. */
export interface RoleContext {
  readonly onNode: readonly RoleName[]
  /** Roles that a Node other than this one holds. */
  readonly elsewhere: readonly RoleName[]
}

/**
 * The refusal of roles in `POST /nodes`: a role that cannot be added there is 422 `validation.failed`; a conflicting pair
 * or a second singleton 422 `node.role_conflict` (ROLE-013).
 */
export function nodeAddRefusal(
  roles: readonly RoleName[],
  { onNode, elsewhere }: RoleContext,
): CodedError | undefined {
  const wrongWay = roles.find((role) => !onNode.includes(role) && !rule(role).assignedBy.includes('node-add'))
  if (wrongWay) return invalid({ roles: [`${wrongWay} cannot be assigned by node:add`] })
  const [pair] = conflictingPairs(roleNames.filter((role) => [...roles, ...onNode].includes(role)))
  if (pair) return roleConflict(pair, (message) => fail('node.role_conflict', { message }))
  const second = roles.find((role) => isSingleton(role) && elsewhere.includes(role))
  return second && singletonTaken(second)
}

/**
 * The same for `POST /nodes/{node}/roles`, where a conflicting pair is 422 `validation.failed` (ROLE-013). `vpn` can be
 * converged again where it is, which adds nothing.
 */
export function roleAddRefusal(
  role: RoleName,
  standing: RoleContext,
  { again = false }: { readonly again?: boolean } = {},
): CodedError | undefined {
  const isHeld = role === 'vpn' && again && standing.onNode.includes(role)
  if (!isHeld && !rule(role).assignedBy.includes('role-add'))
    return invalid({ role: [`${role} is assigned ${otherWay(role)}`] })
  return pairRefusal(role, standing) ?? singletonRefusal(role, standing)
}

/** For relocation; where the role is already, is the move's own business (ROLE-034). */
export function relocateRefusal(role: RoleName, standing: RoleContext): CodedError | undefined {
  if (!isRelocatable(role))
    return invalid({ role: [`${role} cannot be relocated; gateway, websocket and metrics can`] })
  return pairRefusal(role, standing)
}

/** For removal: `vpn` stays with its Node, `router` belongs to its Cluster (ROLE-003, ROLE-009). */
export const removalRefusal = (role: RoleName): CodedError | undefined =>
  rule(role).isRemovable
    ? undefined
    : invalid({
        role: [
          role === 'router'
            ? 'router is removed by `fleet cluster:router:clear CLUSTER`'
            : `${role} stays with its Node`,
        ],
      })

/** Roles that `node:role:add` does not assign come with another command. */
const otherWay = (role: RoleName): string =>
  role === 'router'
    ? 'by `fleet cluster:router:set CLUSTER NODE`'
    : 'when its Node is enrolled, by `fleet node:add --roles`'

/** `vpn` first, because the others resolve and are reached through it. */
export const inConvergenceOrder = (roles: readonly RoleName[]): readonly RoleName[] =>
  [...new Set(roles)].toSorted((one, other) => CONVERGENCE.indexOf(one) - CONVERGENCE.indexOf(other))

const CONVERGENCE: readonly RoleName[] = ['vpn', ...roleNames.filter((role) => role !== 'vpn')]

const pairRefusal = (role: RoleName, { onNode }: RoleContext): CodedError | undefined => {
  const other = conflictWith(role, onNode)
  return (
    other &&
    roleConflict([role, other], (message) =>
      fail('validation.failed', { message, details: { errors: { role: [message] } } }),
    )
  )
}

const singletonRefusal = (role: RoleName, { onNode, elsewhere }: RoleContext): CodedError | undefined =>
  isSingleton(role) && !onNode.includes(role) && elsewhere.includes(role) ? singletonTaken(role) : undefined

const singletonTaken = (role: RoleName): CodedError =>
  fail('node.role_conflict', {
    message: `Another Node has the role ${role}, which only one Node can have.`,
    details: { role },
  })

const roleConflict = (
  [role, other]: readonly [RoleName, RoleName],
  toError: (message: string) => CodedError,
): CodedError => toError(`The roles ${role} and ${other} cannot be on the same Node.`)
