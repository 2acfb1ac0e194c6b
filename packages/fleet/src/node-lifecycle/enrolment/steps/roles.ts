import type { RoleName } from '@fleet/contract'
import { changeRole, findRole, holdingRoles, type NodeRecord, type RoleRow } from '#/nodes/api.ts'
import { convergeHeld } from '#/roles/api.ts'
import { type Provisioning, tunnelSession } from '../provisioning.ts'

/**
 * Step 5, for one requested role (NODE-054). Whoever holds both the name and the role lock knows that no other request
 * works on the role, so a remaining claim belongs to a request that died.
 */
export async function convergeRequested(provisioning: Provisioning, role: RoleName): Promise<void> {
  const { deps, call, node } = provisioning
  await holdingRoles(deps.store, call, node.id, async () => {
    const session = tunnelSession(provisioning)
    await deps.services.roles.requireCapable(session, role)
    await endDeadClaim(deps.store.db, await findRole(deps.store.db, node.id, role))
    await convergeHeld(deps, session, role)
  })
  const activeRoles = [...new Set([...node.activeRoles, role])].toSorted()
  provisioning.node = { ...node, activeRoles }
}

/**
 * The assignment as it was before the converge; one that is new stays as failed, so that the Node has its previous
 * roles and the identical request resumes. A Node that had no role gets its public SSH and its own DNS back (NODE-022).
 */
export async function restoreRole(
  provisioning: Provisioning,
  role: RoleName,
  earlier: { readonly node: NodeRecord; readonly roles: readonly RoleRow[] },
): Promise<void> {
  const { deps, call, node } = provisioning
  const { db } = deps.store
  const session = deps.sessions.overTunnel(call, node)
  if (earlier.node.activeRoles.length === 0) {
    await deps.services.firewall.openPublicSsh(session)
    await deps.services.tunnel.applyResolver(session, false)
  }
  const before = earlier.roles.find((row) => row.role === role)
  if (before) {
    const { id, status, failed_step, error_code, claimed_at } = before
    return changeRole(db, id, { status, failed_step, error_code, claimed_at })
  }
  const now = await findRole(db, node.id, role)
  if (now?.status === 'active')
    await changeRole(db, now.id, { status: 'failed', failed_step: 'converge:enrolment', error_code: null })
}

async function endDeadClaim(db: Parameters<typeof findRole>[0], claim: RoleRow | undefined): Promise<void> {
  if (claim?.status === 'provisioning')
    await changeRole(db, claim.id, {
      status: 'failed',
      failed_step: 'converge:interrupted',
      claimed_at: null,
    })
}
