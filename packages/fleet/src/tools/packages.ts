import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { missingPackages, readMissing, type Wanted } from '#/tools/commands/missing-packages.ts'
import { installPackages, type InstallRefusal, readInstalled } from '#/tools/commands/install-packages.ts'
import { holdingApt } from '#/tools/locks.ts'

export interface PackageParts {
  readonly store: Pick<Store, 'locks'>
}

const CHECK_SECONDS = 60

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
  const missing = await findMissing(session, wanted)
  if (missing.length === 0) return 'unchanged'
  await holdingApt(store, session.call, session.node.id, 'node_role.tool_manager_locked', async () => {
    const refusal = readInstalled(await session.asRoot(installPackages(missing), { isLong: true }))
    if (refusal !== undefined) throw refused(session, refusal)
  })
  const left = await findMissing(session, wanted)
  if (left.length > 0) throw refused(session, 'failed')
  return 'applied'
}

async function findMissing(session: NodeSession, wanted: readonly Wanted[]): Promise<readonly string[]> {
  const result = await session.asRoot(missingPackages(wanted), { timeoutSeconds: CHECK_SECONDS })
  const missing = readMissing(result, wanted)
  if (!missing) throw refused(session, 'failed')
  return missing
}

const CODES = {
  locked: 'node_role.tool_manager_locked',
  unavailable: 'node_role.packages_unavailable',
  disk_full: 'node_role.disk_full',
  failed: 'node_role.package_failed',
} as const satisfies Record<InstallRefusal, string>

const refused = ({ node }: NodeSession, reason: InstallRefusal): Error =>
  fail(CODES[reason], { details: { node: identityOf(node) } })
