import { fail, type RoleName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import {
  changeRole,
  findRole,
  identityOf,
  type NodeSession,
  readRoleSettings,
  type RoleRow,
} from '#/nodes/api.ts'
import { requireFree } from '#/roles/claims.ts'
import { convergenceOf, type ConvergeOptions, type RoleDeps } from '#/roles/converge.ts'
import { removalOf } from '#/roles/remove.ts'
import { type RoleWork, runRoleSteps, type SideStep } from '#/roles/role-steps.ts'
import { relocateRefusal } from '#/roles/rules.ts'
import { roleContextOf } from '#/roles/subject.ts'
import { isResidue, type Move } from '#/roles/relocation-rules.ts'

/** The caller holds the role locks of both Nodes. */
export interface MoveWork {
  readonly role: RoleName
  readonly target: NodeSession
  readonly source: NodeSession
  readonly move: Exclude<Move, { readonly kind: 'none' }>
  /** What follows the role to its new Node before the old one is cleared; it fails nothing. */
  readonly settle: () => Promise<void>
}

/** Moves the role, or does what an earlier move left (ROLE-037). The error of a move that is not complete names the repeat. */
export async function moveRole(deps: RoleDeps, work: MoveWork): Promise<void> {
  const relocation = await relocationOf(deps, work)
  try {
    await runRoleSteps(relocation)
  } catch (error) {
    const row = await findRole(deps.store.db, work.source.node.id, work.role)
    throw row && !isResidue(row) ? error : incomplete(work, error)
  }
}

/**
 * The steps of both Nodes in one list, built from their two assignments alone: either may have been completed by another
 * operation since an earlier attempt, and what is complete has no steps.
 */
export async function relocationOf(deps: RoleDeps, work: MoveWork): Promise<RoleWork> {
  const { role, target, source, settle } = work
  const steps: readonly SideStep[] = [
    ...(await targetSteps(deps, work)),
    {
      side: { kind: 'remove', role, session: source, said: [] },
      isRecord: true,
      name: 'settle',
      run: settle,
    },
    ...(await removalOf(deps, source, role, { purgeData: false })),
  ]
  return { store: deps.store, call: target.call, steps }
}

async function targetSteps(deps: RoleDeps, work: MoveWork): Promise<readonly SideStep[]> {
  const { role, target, move } = work
  if (move.kind === 'rest' && move.target.status === 'active') return []
  requireFree(await findRole(deps.store.db, target.node.id, role), 'converge', deps.clock)
  return convergenceOf(deps, target, role, handover(deps, work))
}

/**
 * `gateway`: the target is made ready, then the assignment moves, so that some Node always is the gateway (ROLE-035).
 * The others take their credentials along, and the assignment moves before the target converges (ROLE-036).
 */
function handover(deps: RoleDeps, { role, target, move: { kind, source } }: MoveWork): ConvergeOptions {
  const requireAllowed = (db: Database): Promise<void> => requireRelocatable(db, target.node.id, role)
  const leave = (db: Database): Promise<void> => leaveSource(db, source, deps)
  if (kind === 'whole' && role === 'gateway') return { requireAllowed, ownResolver: true, onActive: leave }
  const settings = readRoleSettings(deps.store, source)
  return kind === 'whole' ? { requireAllowed, settings, onClaim: leave } : { requireAllowed, settings }
}

/** Throws what refuses the role on this Node. */
export async function requireRelocatable(db: Database, nodeId: number, role: RoleName): Promise<void> {
  const refusal = relocateRefusal(role, await roleContextOf(db, nodeId, role))
  if (refusal) throw refusal
}

/** The source keeps its record until nothing of the role is left on it. */
const leaveSource = (db: Database, { id }: RoleRow, { clock }: RoleDeps): Promise<void> =>
  changeRole(db, id, {
    status: 'removing',
    claimed_at: clock.now().toISOString(),
    failed_step: null,
    error_code: null,
  })

/** The error names the repeat that completes the move (ROLE-039). */
function incomplete({ source, role }: MoveWork, error: unknown): unknown {
  if (!(error instanceof CodedError) || error.status < 500) return error
  const { id, name } = source.node
  return fail('node_role.relocation_incomplete', {
    message: `The role ${role} is already on the new Node. Repeat the request with \`from\` ${id} (${name}) to complete the move.`,
    details: {
      ...error.details,
      from: identityOf({ id, name }),
      error_code: error.details?.['error_code'] ?? error.code,
    },
    cause: error,
  })
}
