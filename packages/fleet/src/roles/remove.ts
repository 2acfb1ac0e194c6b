import { fail, type RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { transferCommand } from '#/instances/api.ts'
import {
  claimRole,
  deleteClaimed,
  deleteExclusions,
  holdNode,
  listRoles,
  type NodeSession,
  type RoleRow,
  type RoleStep,
} from '#/nodes/api.ts'
import { claimOf } from '#/roles/claims.ts'
import { type RoleSide, runRoleSteps, type SideStep } from '#/roles/role-steps.ts'
import type { RoleDeps } from '#/roles/converge.ts'
import { exporters } from '#/roles/exporters.ts'

export interface RemoveOptions {
  readonly purgeData: boolean
}

/**
 * Removes a role from a machine and then its record, under the role lock that the caller holds. Safe to repeat. The
 * last role first restores public SSH (ROLE-025). Throws `node.lock_lost` and `node_role.remove_failed` with
 * `details.step` and `details.error_code`, which are then stored on the assignment as `remove:<step>`.
 */
export async function removeHeld(
  deps: RoleDeps,
  session: NodeSession,
  role: RoleName,
  options: RemoveOptions,
): Promise<void> {
  const steps = await removalOf(deps, session, role, options)
  await runRoleSteps({ store: deps.store, call: session.call, steps })
}

/** From the claim on the assignment to the deletion of its record. */
export async function removalOf(
  deps: RoleDeps,
  session: NodeSession,
  role: RoleName,
  options: RemoveOptions,
): Promise<readonly SideStep[]> {
  const { store, clock } = deps
  const side: RoleSide = { kind: 'remove', role, session, said: [] }
  const isLast = await isLastRole(deps, session.node.id, role)
  const claim = async (): Promise<void> => {
    side.claim = await store.transaction(async (db) => {
      await requireUnhosted(deps, db, { node_id: session.node.id, role })
      return claimRole(db, claimOf(session.node.id, role, 'removing', clock))
    })
  }
  const drop = async (): Promise<void> => {
    // A repeat of the step finds it done.
    if (side.claim) await dropRole(deps, side.claim)
    side.claim = undefined
  }
  return [
    { side, isRecord: true, name: 'claim', run: claim },
    ...removalSteps(deps, session, role, { ...options, isLast }).map((step) => ({ ...step, side })),
    { side, isRecord: true, name: 'record', run: drop },
  ]
}

/** What removes the role from the machine; with the last one its public SSH opens and its own DNS returns (ROLE-025). */
export const removalSteps = (
  deps: Pick<RoleDeps, 'services'>,
  session: NodeSession,
  role: RoleName,
  { isLast, purgeData }: RemoveOptions & { readonly isLast: boolean },
): readonly RoleStep[] => [
  ...(isLast ? [openPublicSsh(deps)] : []),
  // Before the services go: nobody may be sent to a Node that has stopped serving.
  { name: 'private-dns', run: () => deps.services.dns.publish(session.call) },
  ...deps.services.roles.removal(role, { purgeData }),
  ...(isLast
    ? [machineDns(deps), withdrawExporters(deps, session)]
    : role === 'ingress'
      ? [exporters(() => deps.services.exporters.reconcile(session.call, session.node))]
      : []),
]

/**
 * What has its place on the Node by the role, asked while nobody stores more of it (decision 0377). Throws `node_role.in_use` with the
 * reason and the numbers (ROLE-029).
 */
export async function requireUnhosted(
  { services: { owned } }: Pick<RoleDeps, 'services'>,
  tx: Database,
  { node_id, role }: Pick<RoleRow, 'node_id' | 'role'>,
): Promise<void> {
  if (role !== 'app-dev' && role !== 'app-prod') return
  await holdNode(tx, node_id)
  const [instances, routes] = [await owned.instances(node_id, tx), await owned.routes(node_id, tx)]
  if (instances + routes > 0)
    throw fail('node_role.in_use', {
      details: { role, reason: 'hosts_instances_or_routes', instances, routes },
    })
  // Only development Instances move.
  const transfers = role === 'app-dev' ? await owned.openTransfers(node_id, tx) : []
  const [first] = transfers
  if (!first) return
  throw fail('node_role.in_use', {
    message: `The transfer of an Instance to or from the Node is not finished, and needs the role. Finish each that \`details\` name first: \`${transferCommand(first)}\`.`,
    details: { role, reason: 'open_transfers', transfers },
  })
}

/**
 * Deletes the record of a role that nothing on the machine is removed for. Throws `node_role.in_use`, and `node.lock_lost` when somebody
 * else works on it by now.
 */
export const dropUnhosted = (deps: RoleDeps, row: RoleRow): Promise<void> =>
  deps.store.transaction(async (db) => {
    await requireUnhosted(deps, db, row)
    await drop(db, row)
  })

/** Deletes the record and what goes with it. Throws `node.lock_lost` when somebody else works on it by now. */
const dropRole = ({ store }: RoleDeps, row: RoleRow): Promise<void> =>
  store.transaction((db) => drop(db, row))

async function drop(db: Database, row: RoleRow): Promise<void> {
  if (!(await deleteClaimed(db, row))) throw fail('node.lock_lost')
  if (row.role === 'app-dev') await deleteExclusions(db, row.node_id)
}

/** A role that failed holds nothing open or closed, so it does not count. */
export async function isLastRole(
  { store }: Pick<RoleDeps, 'store'>,
  nodeId: number,
  role: RoleName,
): Promise<boolean> {
  const others = (await listRoles(store.db, nodeId)).filter((row) => row.role !== role)
  return others.every(({ status }) => status === 'failed')
}

const openPublicSsh = ({ services }: Pick<RoleDeps, 'services'>): RoleStep => ({
  name: 'firewall-recovery',
  run: async (session) => {
    try {
      await services.firewall.openPublicSsh(session)
    } catch (error) {
      throw fail('node.firewall_recovery_failed', { cause: error })
    }
  },
})

const withdrawExporters = ({ services }: Pick<RoleDeps, 'services'>, { call, node }: NodeSession): RoleStep =>
  exporters(() => services.exporters.withdraw(call, node))

const machineDns = ({ services }: Pick<RoleDeps, 'services'>): RoleStep => ({
  name: 'machine-dns',
  run: async (session) => void (await services.tunnel.applyResolver(session, false)),
})
