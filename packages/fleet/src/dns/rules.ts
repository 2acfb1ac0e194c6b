import type { RoleName } from '@fleet/contract'

/** A Node as private DNS sees it. */
export interface NameNode {
  readonly id: number
  readonly name: string
  readonly status: string
  /** Tunnel address. */
  readonly address: string | null
  readonly lanAddress: string | null
  readonly tld: string | null
  readonly clusterId: number | null
  readonly roles: ReadonlyArray<{ readonly role: string; readonly status: string }>
}

/** A Node that has an address to answer with. */
export interface Holder extends NameNode {
  readonly address: string
}

/** RTX-113: a role that fails or goes is held by nobody. */
const HOLDING: ReadonlySet<string> = new Set(['active', 'provisioning'])

export const holds = (node: NameNode, role: RoleName): node is Holder =>
  node.address !== null && statusOf(node, role) !== undefined

/** The Node that answers for a role; of several an active Node wins, then an active role, then the older Node (RTX-113). */
export function holderOf(nodes: readonly NameNode[], role: RoleName): Holder | undefined {
  const rank = (node: NameNode): number =>
    (node.status === 'active' ? 2 : 0) + (statusOf(node, role) === 'active' ? 1 : 0)
  const holders = nodes.filter((node): node is Holder => holds(node, role))
  return holders.toSorted((a, b) => rank(b) - rank(a) || a.id - b.id)[0]
}

const statusOf = ({ roles }: NameNode, role: RoleName): string | undefined =>
  roles.find((assignment) => assignment.role === role && HOLDING.has(assignment.status))?.status
