import { type ErrorCode, fail, type RoleName } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import {
  changeClaimed,
  identityOf,
  type NodeRecord,
  type NodeSession,
  type RoleRow,
  type RoleStep,
} from '#/nodes/api.ts'
import { codeOf, detailsBehind, failedBecause } from '#/error-details.ts'
import { endsRequest, performSteps } from '#/perform-steps.ts'

/** What a failed step of either kind of work is called. */
const FAILED = {
  converge: 'node_role.convergence_failed',
  remove: 'node_role.remove_failed',
} as const satisfies Record<string, ErrorCode>

/** What is done with the assignment of one Node: the role is made to work there, or removed. */
export interface RoleSide {
  readonly kind: keyof typeof FAILED
  readonly role: RoleName
  /** Usable only while the lock is held. */
  readonly session: NodeSession
  /** The assignment while this work has it: from its step `claim` until the record is active or deleted. */
  claim?: RoleRow | undefined
  /** What its steps want known, in sentences. */
  readonly said: string[]
}

/** A step of one side; its name in the list is `<kind>:<name>`, as a failed assignment keeps it. */
export interface SideStep extends RoleStep {
  readonly side: RoleSide
  /** Changes records alone: clients do not see it, and its error is that of the request. */
  readonly isRecord?: true
}

export interface RoleWork {
  readonly store: Store
  readonly call: Call
  /** Of one Node, or of the two Nodes of a move. */
  readonly steps: readonly SideStep[]
}

/** Nothing is undone: an assignment that failed keeps what works, and the identical request runs every step again. */
export const roleSteps = stepList<RoleWork>(
  'role-steps',
  ({ steps }) =>
    steps.map((step) => ({
      name: nameOf(step),
      isOptional: step.isOptional ?? false,
      run: async () => {
        const said = await step.run(step.side.session)
        if (said !== undefined) step.side.said.push(said)
      },
    })),
  { forwardOnly: true },
)

const nameOf = ({ side, name }: SideStep): string => `${side.kind}:${name}`

const stepOf = ({ steps }: RoleWork, name: string): SideStep | undefined =>
  steps.find((step) => nameOf(step) === name)

/**
 * Runs the steps in order, each reported as `role:<step>`. The first that fails is recorded on the assignment as
 * `<kind>:<step>` with its code, unless somebody else has taken that over (ROLE-021, ROLE-026, ROLE-027). Answers the
 * optional steps that failed.
 */
export async function runRoleSteps(work: RoleWork): Promise<ReadonlySet<string>> {
  const missed = await performSteps(roleSteps, work, {
    call: work.call,
    log: roleLog(work),
    nameFor: (name) => {
      const step = stepOf(work, name)
      return step && !step.isRecord ? `role:${step.name}` : undefined
    },
    // The claim itself says whether somebody else has the assignment, so a lost lock is recorded like any failure.
    kindOf: (cause) => (codeOf(cause) === 'node.lock_lost' ? 'final' : undefined),
    errorOf: ({ step, cause }) => errorOf(stepOf(work, step), cause),
  })
  return new Set(missed.map(({ step }) => step))
}

function errorOf(step: SideStep | undefined, cause: unknown): unknown {
  if (!step || step.isRecord || endsRequest(cause)) return cause
  const { kind, role, session } = step.side
  return roleFailure(kind, session.node, { role, step: step.name, cause })
}

/** The failed step of a role, with all that its own error knows: a path, a unit, who holds a lock. */
export const roleFailure = (
  kind: keyof typeof FAILED,
  node: NodeRecord,
  { role, step, cause }: { readonly role: RoleName; readonly step: string; readonly cause: unknown },
): CodedError =>
  fail(FAILED[kind], {
    message: failedBecause(`The step \`${step}\` of the role ${role} failed on ${node.name}`, cause),
    details: { ...detailsBehind(cause), node: identityOf(node), role, step, error_code: codeOf(cause) },
    cause,
  })

/** The failed step goes to the assignment of its Node, if this work has it. */
export const roleLog = (work: RoleWork): StepLog =>
  columnsLog<() => Promise<unknown>>({
    on: {
      failed: (step, cause) => {
        const claim = stepOf(work, step)?.side.claim
        const outcome = {
          status: 'failed',
          failed_step: step,
          error_code: codeOf(cause),
          claimed_at: null,
        } as const
        return claim && (() => changeClaimed(work.store.db, claim, outcome))
      },
    },
    write: (write) => write(),
  })
