import type { RoleName } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { NodeSession, NodeRecord } from '#/nodes/api.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'

/** `online`: the machine takes part. `reachable`: it answers, but is left alone. `silent`: it does not answer. */
export type RemovalKind = 'online' | 'reachable' | 'silent'

/** A removal that all guards have let through. */
export interface Removal {
  readonly deps: LifecycleDeps
  readonly call: Call
  readonly node: NodeRecord
  readonly kind: RemovalKind
  /** Roles that a silent Node loses with its record. */
  readonly roles: readonly RoleName[]
  readonly outcome: RemovalOutcome
}

/** What the steps found, kept with their progress so that a repeated request can report it. */
export interface RemovalOutcome {
  peerRemoved: boolean
  namesRemoved: number
  /** The agent could not be stopped. */
  agentLeft: boolean
  /** The machine still asks the fleet's DNS for names. */
  resolverLeft?: boolean
}

export const sessionOf = ({ deps, call, node }: Removal): NodeSession => deps.sessions.overTunnel(call, node)

/** An enrolment came as far as the tunnel. */
export const hasJoined = ({ wireguard_public_key: key, ssh_host_fingerprint: pin }: NodeRecord): boolean =>
  key !== null && pin !== null

/** What an earlier request for the same removal has recorded. */
export const readRemoval = ({ removal }: Pick<NodeRecord, 'removal'>): RemovalProgress => removal ?? nothing

type RemovalProgress = NonNullable<NodeRecord['removal']>

const nothing: RemovalProgress = {
  steps: {},
  outcome: { peerRemoved: false, namesRemoved: 0, agentLeft: false },
}
