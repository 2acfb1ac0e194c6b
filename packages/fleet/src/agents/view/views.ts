import { LITERALS } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { AgentUnit, AgentWorkspaceState } from '#/agents/messages.ts'
import type { NodeChannel } from '#/agents/view/channel.ts'
import { type AgentSight, NodeView, unitKey } from '#/agents/view/node-view.ts'

/** AGT-038: a subscriber that says nothing of itself for so long is down. */
const HEALTH_MILLISECONDS = 30_000

/**
 * How long agents may take to come after the subscriber has a connection: without a service they ask for one each minute,
 * and one that was lost is tried again after at most as long; both together, with room for the join and the snapshot.
 */
const ARRIVAL_MILLISECONDS = 180_000

/** `disconnected`: it works, but has no connection to the WebSocket server. */
export type SubscriberHealth = 'up' | 'disconnected' | 'down'

/** A Process as its unit or container is found by (AG-037). */
export interface ProcessIdentity {
  readonly nodeId: number
  readonly id: number
  readonly name: string
  readonly runtime: AgentUnit['runtime']
}

/** A checkout that somebody wants to know the state of. */
export interface WatchedWorkspace {
  readonly nodeId: number
  readonly instanceId: number
  readonly base: string
  readonly start: string | null
}

/** What the gateway sees of its Nodes through their agents; for readers. */
export interface AgentViews {
  of(nodeId: number): AgentSight
  /** Undefined if the agent's data is not usable at this moment, so that another source is used (AG-002). */
  runtimeStatusOf(process: ProcessIdentity): string | undefined
  /** Undefined unless the report is fresh and made for the same base and start (AGT-031). */
  workspaceOf(wanted: WatchedWorkspace): AgentWorkspaceState | undefined
  /** Whether anybody looks at any Node (EV-033). */
  hasViewers(): boolean
  subscriber(): SubscriberHealth
  /** True for as long as the present health is too young to say that something is missing. */
  isSettling(): boolean
}

/** Name of the unit or container of a Process, without `.service` (AG-031, AG-037). */
export const processUnitName = ({ id, name }: Pick<ProcessIdentity, 'id' | 'name'>): string =>
  `${LITERALS.processUnit}-${id}-${name}`

const UNSEEN: AgentSight = new NodeView(0).see(0)

/** Kept in memory by the gateway's subscriber, which is the only one that writes. */
export class AgentViewStore implements AgentViews {
  readonly #clock: Pick<Clock, 'ticks'>
  readonly #views = new Map<number, NodeView>()
  #beat: { readonly at: number; readonly isConnected: boolean } | undefined
  /** Since when the subscriber is, or is not, connected. */
  #changedAt: number

  constructor(clock: Pick<Clock, 'ticks'>) {
    this.#clock = clock
    this.#changedAt = clock.ticks()
  }

  of(nodeId: number): AgentSight {
    return this.#views.get(nodeId)?.see(this.#clock.ticks()) ?? UNSEEN
  }

  runtimeStatusOf(process: ProcessIdentity): string | undefined {
    const { isFresh, units, docker } = this.of(process.nodeId)
    // Without Docker the agent has looked at no container, so one that is missing means nothing.
    if (!isFresh || !units || (process.runtime === 'docker' && docker === 'absent')) return undefined
    const unit = units.byKey.get(unitKey({ name: processUnitName(process), runtime: process.runtime }))
    if (unit) return unit.runtime_status
    if (units.isCut) return undefined
    return process.runtime === 'systemd' ? 'inactive' : 'exited'
  }

  workspaceOf({ nodeId, instanceId, base, start }: WatchedWorkspace): AgentWorkspaceState | undefined {
    const { hasFreshWorkspaces, workspaces } = this.of(nodeId)
    const known = hasFreshWorkspaces ? workspaces?.get(instanceId) : undefined
    return known?.base === base && known.start === start ? known : undefined
  }

  hasViewers(): boolean {
    return this.#views.values().some((view) => view.hasViewers)
  }

  subscriber(): SubscriberHealth {
    if (!this.#beat || this.#clock.ticks() - this.#beat.at >= HEALTH_MILLISECONDS) return 'down'
    return this.#beat.isConnected ? 'up' : 'disconnected'
  }

  isSettling(): boolean {
    const lasted = this.#clock.ticks() - this.#changedAt
    return lasted < (this.subscriber() === 'up' ? ARRIVAL_MILLISECONDS : HEALTH_MILLISECONDS)
  }

  /** The agent's channel of a Node that is followed from now on. */
  channel(nodeId: number): NodeChannel {
    const view = this.#views.get(nodeId) ?? new NodeView(nodeId)
    this.#views.set(nodeId, view)
    return {
      joined: (members) => view.joined(members, this.#clock.ticks()),
      left: () => view.left(),
      memberAdded: (id, info) => view.memberAdded(id, info, this.#clock.ticks()),
      memberRemoved: (id) => view.memberRemoved(id),
      reported: (userId, message) => {
        if (message.event !== 'client-log' && message.event !== 'client-log-end')
          view.receive(userId, message, this.#clock.ticks())
      },
      gone: () => void this.#views.delete(nodeId),
    }
  }

  /** Nodes that owe a snapshot for too long. Each is to be asked for it, by leaving its channel and joining it again (AGT-040). */
  overdue(): readonly number[] {
    const now = this.#clock.ticks()
    const owing = [...this.#views].filter(([, view]) => view.isSnapshotOverdue(now))
    for (const [, view] of owing) view.asked()
    return owing.map(([nodeId]) => nodeId)
  }

  /** The subscriber lives. */
  beat(isConnected: boolean): void {
    const at = this.#clock.ticks()
    if (this.#beat?.isConnected !== isConnected) this.#changedAt = at
    this.#beat = { at, isConnected }
  }
}
