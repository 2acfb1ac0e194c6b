import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { refreshLists } from '#/tools/commands/refresh-lists.ts'
import { missingPackages, type Wanted } from '#/tools/commands/missing-packages.ts'
import { installPackages } from '#/tools/commands/install-packages.ts'
import { holdingApt } from '#/tools/locks.ts'

export interface PackageDeps {
  readonly store: Pick<Store, 'locks'>
}

/**
 * Installs what is missing; one short round trip when nothing is. May be repeated, also after a power cut in the middle.
 * Throws `node_role.tool_manager_locked`, `node_role.packages_unavailable`, `node_role.disk_full`,
 * `node_role.package_failed` and the codes of NodeSession.
 */
export async function ensurePackages(
  { store }: PackageDeps,
  session: NodeSession,
  wanted: readonly Wanted[],
): Promise<'unchanged' | 'applied'> {
  const tried = new Set<string>()
  for (;;) {
    const missing = await session.ask(missingPackages, wanted)
    if (missing.length === 0) return tried.size === 0 ? 'unchanged' : 'applied'
    if (missing.some((name) => tried.has(name)))
      throw fail('node_role.package_failed', { details: { node: identityOf(session.node) } })
    await install({ store }, session, missing)
    // The first installation may fetch the package lists, which know what is wanted where it is known.
    for (const name of missing) tried.add(name)
  }
}

const install = ({ store }: PackageDeps, session: NodeSession, missing: readonly string[]): Promise<void> =>
  holdingApt(store, session.call, session.node.id, 'node_role.tool_manager_locked', () =>
    session.ask(installPackages, missing),
  )

/** The Node asks its package sources what they have. Throws as `ensurePackages` does. */
export const refreshPackages = ({ store }: PackageDeps, session: NodeSession): Promise<void> =>
  holdingApt(store, session.call, session.node.id, 'node_role.tool_manager_locked', () =>
    session.ask(refreshLists, undefined),
  )
