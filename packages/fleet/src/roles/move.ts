import { fail, type RoleName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import {
  changeRole,
  claimRole,
  identityOf,
  type NodeSession,
  putRoleSettings,
  readRoleSettings,
  type RoleRow,
} from '#/nodes/api.ts'
import { claimOf } from '#/roles/claims.ts'
import { convergeHeld, type RoleParts } from '#/roles/converge.ts'
import { removeHeld } from '#/roles/remove.ts'

/** The caller holds the role locks of both Nodes. */
export interface MoveWork {
  readonly role: RoleName
  readonly target: NodeSession
  readonly source: NodeSession
  /** The assignment that is moved or left. */
  readonly assignment: RoleRow
  /** What follows the role to its new Node before the old one is cleared; it fails nothing. */
  readonly settle?: () => Promise<void>
}

/**
 * `gateway`: the target is made ready, then the assignment moves, so that some Node always is the gateway (ROLE-035).
 * The others take their credentials along, and the assignment moves before the target converges (ROLE-036).
 */
export const moveRole = (parts: RoleParts, work: MoveWork): Promise<void> =>
  work.role === 'gateway' ? moveAfterConvergence(parts, work) : moveBeforeConvergence(parts, work)

/** What is left of a move: the target where it does not work yet, then the source (ROLE-037). */
export async function completeMove(parts: RoleParts, work: MoveWork, target: RoleRow): Promise<void> {
  if (target.status !== 'active') {
    await copySettings(parts, work, target)
    await convergeTarget(parts, work)
  }
  await finish(parts, work)
}

async function moveAfterConvergence(parts: RoleParts, work: MoveWork): Promise<void> {
  const { target, role, assignment } = work
  await convergeHeld(parts, target, role, {
    ownResolver: true,
    commit: (db) => leave(db, assignment, parts),
  })
  await finish(parts, work)
}

async function moveBeforeConvergence(parts: RoleParts, work: MoveWork): Promise<void> {
  const { target, role, assignment } = work
  target.call.locks.requireHeld()
  await parts.store.transaction(async (db) => {
    const row = await claimRole(db, claimOf(target.node.id, role, 'provisioning', parts.clock))
    await putRoleSettings({ ...parts.store, db }, row, readRoleSettings(parts.store, assignment))
    // Without a time: the convergence that follows takes the claim over at once.
    await changeRole(db, row.id, { claimed_at: null })
    await leave(db, assignment, parts)
  })
  await completing(work, () => convergeTarget(parts, work))
  await finish(parts, work)
}

/** The source keeps its record until nothing of the role is left on it. */
const leave = (db: Database, { id }: RoleRow, { clock }: RoleParts): Promise<void> =>
  changeRole(db, id, {
    status: 'removing',
    claimed_at: clock.now().toISOString(),
    failed_step: null,
    error_code: null,
  })

const convergeTarget = async (parts: RoleParts, { target, role }: MoveWork): Promise<void> =>
  void (await convergeHeld(parts, target, role))

const copySettings = ({ store }: RoleParts, { assignment }: MoveWork, target: RoleRow): Promise<void> =>
  putRoleSettings(store, target, readRoleSettings(store, assignment))

const finish = (parts: RoleParts, work: MoveWork): Promise<void> =>
  completing(work, async () => {
    await work.settle?.()
    await removeHeld(parts, work.source, work.role, { purgeData: false })
  })

/** From here on the error names the repeat that completes the move (ROLE-039). */
async function completing({ source, role }: MoveWork, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CodedError) || error.status < 500) throw error
    const { id, name } = source.node
    throw fail('node_role.relocation_incomplete', {
      message: `The role ${role} is already on the new Node. Repeat the request with \`from\` ${id} (${name}) to complete the move.`,
      details: {
        ...error.details,
        from: identityOf({ id, name }),
        error_code: error.details?.['error_code'] ?? error.code,
      },
      cause: error,
    })
  }
}
