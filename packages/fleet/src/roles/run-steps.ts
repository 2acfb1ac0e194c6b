import { type ErrorCode, fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { unitDetailsOf } from '#/managed-services/api.ts'
import { changeClaimed, identityOf, type Machine, type RoleRow, type RoleStep } from '#/nodes/api.ts'
import { codeOf } from '#/roles/claims.ts'

/** What a failed step of either kind of work is called. */
const FAILED = {
  converge: 'node_role.convergence_failed',
  remove: 'node_role.remove_failed',
} as const satisfies Record<string, ErrorCode>

export interface RoleWork {
  readonly store: Store
  readonly kind: keyof typeof FAILED
  /** Usable only while the role lock is held. */
  readonly machine: Machine
  readonly claim: RoleRow
}

/**
 * Runs the steps in order, each told as `role:<step>`. The first that fails stands on the assignment as `<kind>:<step>`
 * with its code, unless somebody else has taken that over (ROLE-021, ROLE-026, ROLE-027). Answers the optional steps that
 * failed.
 */
export async function runRoleSteps(work: RoleWork, steps: readonly RoleStep[]): Promise<ReadonlySet<string>> {
  const { call } = work.machine
  const missed = new Set<string>()
  for (const step of steps) {
    const name = `role:${step.name}`
    call.progress({ step: name, status: 'started' })
    try {
      await step.run(work.machine)
    } catch (error) {
      call.progress({ step: name, status: 'failed' })
      const code = codeOf(error)
      if (step.isOptional !== true || ENDS_ALL.includes(code)) throw await failed(work, step.name, error)
      call.log('an optional step of a role failed', { node: work.machine.node.id, step: step.name, code })
      missed.add(step.name)
      continue
    }
    call.progress({ step: name, status: 'done' })
  }
  return missed
}

/** Nothing may follow: somebody else has the Node, or there is no time left. */
const ENDS_ALL: readonly string[] = ['node.lock_lost', 'command.deadline_exceeded', 'http.draining']

async function failed(
  { store, kind, machine, claim }: RoleWork,
  step: string,
  cause: unknown,
): Promise<unknown> {
  const error_code = codeOf(cause)
  const outcome = { status: 'failed', failed_step: `${kind}:${step}`, error_code } as const
  await changeClaimed(store.db, claim, { ...outcome, claimed_at: null })
  const details = {
    node: identityOf(machine.node),
    role: claim.role,
    step,
    error_code,
    ...unitDetailsOf(cause),
  }
  return fail(FAILED[kind], { details, cause })
}
