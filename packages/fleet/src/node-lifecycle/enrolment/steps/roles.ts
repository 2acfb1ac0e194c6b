import type { RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import {
  changeClaimed,
  changeRole,
  findRole,
  holdingRoles,
  listRoles,
  type NodeRecord,
  type RoleRow,
} from '#/nodes/api.ts'
import { convergeHeld, isResidue } from '#/roles/api.ts'
import { requireCompatible } from '../guards.ts'
import { type Provisioning, tell, tunnelSession } from '../provisioning.ts'

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
    const said = await convergeHeld(deps, session, role, {
      requireAllowed: async (db) => void (await requireCompatible(db, node, [role])),
    })
    if (said.length > 0) tell(provisioning, said)
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
  await holdingRoles(deps.store, call, node.id, async () => {
    const now = await listRoles(deps.store.db, node.id)
    const others = now.filter((row) => row.status === 'active' && !provisioning.roles.includes(row.role))
    if (earlier.node.activeRoles.length === 0 && others.length === 0) {
      const session = deps.sessions.overTunnel(call, node)
      await deps.services.firewall.openPublicSsh(session)
      await deps.services.tunnel.applyResolver(session, false)
    }
    const row = now.find((each) => each.role === role)
    // Somebody has removed it, or was about to, since the step ended: it is theirs (decision 0043).
    if (row && !isResidue(row)) await restoreRow(deps.store.db, row, earlier.roles)
  })
}

async function restoreRow(db: Database, row: RoleRow, earlier: readonly RoleRow[]): Promise<void> {
  const before = earlier.find(({ id }) => id === row.id)
  if (before) {
    const { status, failed_step, error_code, claimed_at } = before
    await changeClaimed(db, row, { status, failed_step, error_code, claimed_at })
  } else if (row.status === 'active')
    await changeClaimed(db, row, { status: 'failed', failed_step: 'converge:enrolment', error_code: null })
}

async function endDeadClaim(db: Database, claim: RoleRow | undefined): Promise<void> {
  if (claim?.status === 'provisioning')
    await changeRole(db, claim.id, {
      status: 'failed',
      failed_step: 'converge:interrupted',
      claimed_at: null,
    })
}
