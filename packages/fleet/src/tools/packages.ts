import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { refreshLists } from '#/tools/commands/refresh-lists.ts'
import { missingPackages, type Wanted } from '#/tools/commands/missing-packages.ts'
import { installPackages } from '#/tools/commands/install-packages.ts'
import { holdingApt } from '#/tools/locks.ts'

export interface PackageParts {
  readonly store: Pick<Store, 'locks'>
}

/**
 * Installs what is missing; one short round trip when nothing is. May be repeated, also after a power cut in the middle.
 * Throws `node_role.tool_manager_locked`, `node_role.packages_unavailable`, `node_role.disk_full`,
 * `node_role.package_failed` and the codes of NodeSession.
 */
export async function ensurePackages(
  { store }: PackageParts,
  session: NodeSession,
  wanted: readonly Wanted[],
): Promise<'unchanged' | 'applied'> {
  const missing = await session.ask(missingPackages, wanted)
  if (missing.length === 0) return 'unchanged'
  await install({ store }, session, missing)
  const left = await session.ask(missingPackages, wanted)
  if (left.length === 0) return 'applied'
  const { node } = session
  const failed = { details: { node: identityOf(node) } }
  // Only now do the package lists of the Node exist, and they may know what is wanted where it is known.
  if (left.some((name) => missing.includes(name))) throw fail('node_role.package_failed', failed)
  await install({ store }, session, left)
  if ((await session.ask(missingPackages, wanted)).length > 0) throw fail('node_role.package_failed', failed)
  return 'applied'
}

const install = ({ store }: PackageParts, session: NodeSession, missing: readonly string[]): Promise<void> =>
  holdingApt(store, session.call, session.node.id, 'node_role.tool_manager_locked', () =>
    session.ask(installPackages, missing),
  )

/** The Node asks its package sources what they have. Throws as `ensurePackages` does. */
export const refreshPackages = ({ store }: PackageParts, session: NodeSession): Promise<void> =>
  holdingApt(store, session.call, session.node.id, 'node_role.tool_manager_locked', () =>
    session.ask(refreshLists, undefined),
  )
