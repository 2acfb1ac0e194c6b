import { type ErrorCode, fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import { unitDetailsOf } from '#/managed-services/api.ts'
import { changeClaimed, identityOf, type NodeSession, type RoleRow, type RoleStep } from '#/nodes/api.ts'
import { codeOf, performSteps } from '#/perform-steps.ts'

/** What a failed step of either kind of work is called. */
const FAILED = {
  converge: 'node_role.convergence_failed',
  remove: 'node_role.remove_failed',
} as const satisfies Record<string, ErrorCode>

export interface RoleWork {
  readonly store: Store
  readonly kind: keyof typeof FAILED
  /** Usable only while the lock is held. */
  readonly session: NodeSession
  readonly claim: RoleRow
  readonly steps: readonly RoleStep[]
}

/** Nothing is undone: an assignment that failed keeps what works, and the identical request runs every step again. */
export const roleSteps = stepList<RoleWork>(
  'role-steps',
  ({ steps }) =>
    steps.map((step) => ({
      name: step.name,
      isOptional: step.isOptional ?? false,
      run: ({ session }) => step.run(session),
    })),
  { forwardOnly: true },
)

/**
 * Runs the steps in order, each reported as `role:<step>`. The first that fails is recorded on the assignment as
 * `<kind>:<step>` with its code, unless somebody else has taken that over (ROLE-021, ROLE-026, ROLE-027). Answers the
 * optional steps that failed.
 */
export async function runRoleSteps(work: RoleWork): Promise<ReadonlySet<string>> {
  const { kind, session, claim } = work
  const missed = await performSteps(roleSteps, work, {
    call: session.call,
    log: roleLog(work),
    nameFor: (step) => `role:${step}`,
    // The claim itself says whether somebody else has the assignment, so a lost lock is recorded like any failure.
    kindOf: (cause) => (codeOf(cause) === 'node.lock_lost' ? 'final' : undefined),
    errorOf: ({ step, cause }) =>
      fail(FAILED[kind], {
        details: {
          node: identityOf(session.node),
          role: claim.role,
          step,
          error_code: codeOf(cause),
          ...unitDetailsOf(cause),
        },
        cause,
      }),
  })
  return new Set(missed.map(({ step }) => step))
}

export const roleLog = ({ store, kind, claim }: RoleWork): StepLog =>
  columnsLog<Parameters<typeof changeClaimed>[2]>({
    on: {
      failed: (step, cause) => ({
        status: 'failed',
        failed_step: `${kind}:${step}`,
        error_code: codeOf(cause),
        claimed_at: null,
      }),
    },
    write: (outcome) => changeClaimed(store.db, claim, outcome),
  })
