import { fail, type ToolManagerName } from '@fleet/contract'
import { isVersionRange } from '@fleet/lockfiles'
import { nodeDetail, type NodeRecord, requireOwnMachine } from '#/nodes/api.ts'
import { isPackageName, isProtected, isSupported } from '#/tools/managers/catalogue.ts'
import type { ToolsDeps } from '#/tools/deps.ts'

/** What names a package of a Node. */
export interface PackagePlace {
  readonly node: NodeRecord
  readonly manager: ToolManagerName
  readonly name: string
}

/** Throws `tool.node_inactive`, `tool.node_unmanaged` and `node.capability_missing` (TOOL-011, TOOL-012). */
export function requireManaged(node: NodeRecord): void {
  const details = nodeDetail(node)
  if (node.status !== 'active')
    throw fail('tool.node_inactive', {
      message: `The Node ${node.name} is not active, so its packages are not changed.`,
      details: { ...details, status: node.status },
    })
  requireOwnMachine(node, 'tools', 'package manager of its own')
  const { platform, wireguard_ip, ssh_host_fingerprint } = node
  if (platform === null || wireguard_ip === null || ssh_host_fingerprint === null)
    throw fail('tool.node_unmanaged', { details })
}

/** Throws `tool.manager_unsupported` before any lock and any command (TOOL-014, TLX-047). */
export function requireSupported({ node, manager }: Pick<PackagePlace, 'node' | 'manager'>): void {
  if (isSupported(manager, node.platform)) return
  throw fail('tool.manager_unsupported', {
    message: `The manager \`${manager}\` does not exist on a Node with the platform ${node.platform}.`,
    details: { ...nodeDetail(node), manager },
  })
}

/** Throws `tool.package_invalid` and `tool.constraint_invalid`. */
export function requireReadable({ manager, name }: PackagePlace, constraint: string | null): void {
  if (!isPackageName(manager, name)) throw fail('tool.package_invalid', { details: { manager } })
  if (constraint !== null && !isVersionRange(constraint)) throw fail('tool.constraint_invalid')
}

export const isNeeded = ({ needed }: Pick<ToolsDeps, 'needed'>, { manager, name }: PackagePlace): boolean =>
  isProtected(manager, name, () => needed.names())

/** Throws `tool.package_protected` (TOOL-051, TOOL-053). */
export function requireUnprotected(deps: Pick<ToolsDeps, 'needed'>, place: PackagePlace): void {
  if (isNeeded(deps, place))
    throw fail('tool.package_protected', { details: { manager: place.manager, package: place.name } })
}
