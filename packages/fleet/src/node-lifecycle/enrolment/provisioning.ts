import type { InputOf, RoleName } from '@fleet/contract'
import { type Clock, CodedError } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import type { NewRow, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeServices } from '#/node-lifecycle/dependencies.ts'
import type { CheckoutPaths } from '#/instances/api.ts'
import { type NodeSession, type Sessions, type NodeRecord, type RoleRow, updateNode } from '#/nodes/api.ts'

/** What enrolment, retarget and removal are made of. */
export interface LifecycleDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ssh: SshPool
  readonly sessions: Sessions
  readonly services: NodeServices
  readonly placements: Pick<CheckoutPaths, 'pathsOn'>
  readonly protectedPaths: readonly string[]
  readonly sshPublicKey: string
}

export type AddInput = InputOf<'node:add'>

/** One enrolment or converge on its way. */
export interface Provisioning {
  readonly deps: LifecycleDeps
  readonly call: Call
  readonly input: AddInput
  /** In the order in which they converge. */
  readonly roles: readonly RoleName[]
  /** Who logs in before the managed user can. */
  readonly bootstrapUser: string
  /** The record of an active Node as it was: a failure before the commit point leaves it so (NODE-022). */
  readonly earlier: NodeRecord | undefined
  /** Its assignments as they were. */
  readonly earlierRoles: readonly RoleRow[]
  /** Reached over its tunnel from the first step, because public SSH may be closed; over that, where the tunnel is silent. */
  isOverTunnel: boolean
  /** An earlier request has stored the top-level domain, and died before all Routes of the Node were below it. */
  readonly isBehind: boolean
  /** What could not be rolled back after a failure, by its step. */
  readonly notRolledBack: string[]
  /** What a person should know of a machine whose firewall this request turned on, and of what its roles replaced, in sentences. */
  followUp: readonly string[]
  /** The record as it is going to be; steps fill in what they observe. */
  node: NodeRecord
}

/** Further sentences for the answer, and for whoever it does not reach. */
export function tell(provisioning: Provisioning, said: readonly string[]): void {
  provisioning.followUp = [...provisioning.followUp, ...said]
  provisioning.call.note.property('follow_up', provisioning.followUp)
}

/**
 * Keeps what a step observed: at once in the record of a new Node, so that the identical request resumes from it; in
 * memory for an active one, whose record waits for the commit point.
 */
export async function learn(provisioning: Provisioning, values: Partial<NewRow<'nodes'>>): Promise<void> {
  const { deps, earlier, node } = provisioning
  provisioning.node = { ...node, ...values } as NodeRecord // The id of a row never is among the values.
  if (!earlier) await updateNode(deps.store.db, node.id, values)
}

/** The machine by the way that is open before the tunnel is, as the given user. */
export function firstSession(provisioning: Provisioning, user: string): NodeSession {
  const { deps, call, node, isOverTunnel } = provisioning
  const { sessions } = deps
  return isOverTunnel ? sessions.overTunnel(call, node, user) : sessions.overPublicSsh(call, node, user)
}

export const tunnelSession = ({ deps, call, node }: Provisioning): NodeSession =>
  deps.sessions.overTunnel(call, node)

/**
 * Rolls back what is rendered from the records, as far as possible: restoring the record itself does not wait for it,
 * and the next publication or converge renders it again.
 */
export async function rollBack(
  { call, node, notRolledBack }: Provisioning,
  step: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    notRolledBack.push(step)
    const code = error instanceof CodedError ? error.code : 'http.500'
    call.log('a step of a failed converge was not rolled back', { node: node.id, step, code })
  }
}
