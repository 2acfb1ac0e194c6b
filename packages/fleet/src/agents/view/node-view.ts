import * as z from 'zod'
import { agentNames } from '#/agents/channels.ts'
import {
  AGENT_UNITS_MAX,
  type AgentMessageData,
  type AgentStateMessage,
  type AgentUnit,
  type AgentWorkspaceState,
} from '#/agents/messages.ts'
import { ObservedList } from '#/agents/view/observed-list.ts'

/** AG-004: an agent that says nothing for so long is lost. A view is fresh as long (AGT-038). */
export const SILENCE_MILLISECONDS = 15_000
/** Nothing of an agent is kept longer after its last event (AGT-038). */
export const KEPT_MILLISECONDS = 60_000
/** AGT-040. Longer each time in a row, because an agent that answers no join answers the next one no sooner. */
const OWED_MILLISECONDS = 5000
const OWED_MAX_MILLISECONDS = 60_000
const WORKSPACES_MAX = 64

export type AgentPresence = 'unknown' | 'online' | 'lost'

/** What the gateway sees of one Node through its agent at one moment. */
export interface AgentSight {
  readonly presence: AgentPresence
  /** Heard of within 15 s, and nothing missing since the last complete snapshot: only then do units and `docker` count. */
  readonly isFresh: boolean
  /** The same of the workspaces (AGT-031). */
  readonly hasFreshWorkspaces: boolean
  /** Of the agent, from its member data; undefined before one joined. */
  readonly version: string | undefined
  /** The last report, fresh or not; undefined if there is none, or it is too old. */
  readonly docker: 'available' | 'absent' | undefined
  readonly units: KnownUnits | undefined
  readonly workspaces: ReadonlyMap<number, AgentWorkspaceState> | undefined
}

export interface KnownUnits {
  /** By `unitKey`. */
  readonly byKey: ReadonlyMap<string, AgentUnit>
  /** More were reported than are kept, so a missing one may exist all the same. */
  readonly isCut: boolean
}

/** A systemd unit and a container may have the same name. */
export const unitKey = ({ name, runtime }: Pick<AgentUnit, 'name' | 'runtime'>): string =>
  `${runtime} ${name}`

const agentInfo = z.object({ version: z.string().max(32).nullable() })

/**
 * The state that one Node's agent has reported on its presence channel: AG-001 to AG-005, AG-024 to AG-036. It does
 * nothing by itself; every method takes the monotonic time of what happened.
 */
export class NodeView {
  readonly #agent: string
  readonly #viewers = new Set<string>()
  readonly #units = new ObservedList<string, AgentUnit>(unitKey, AGENT_UNITS_MAX)
  readonly #workspaces = new ObservedList<number, AgentWorkspaceState>(
    (known) => known.instance_id,
    WORKSPACES_MAX,
  )
  #docker: 'available' | 'absent' | undefined
  #version: string | undefined
  #isPresent = false
  /** An event came since the member is there. */
  #isHeard = false
  #wasOnline = false
  #heardAt = Number.NEGATIVE_INFINITY
  #sequence: number | undefined
  /** Since when a snapshot is owed, and how often one was asked for in vain. */
  #owedSince: number | undefined
  #asks = 0

  constructor(nodeId: number) {
    this.#agent = agentNames(nodeId).member
  }

  /** This side has joined the channel and found these members in it; what happened before is not known. */
  joined(members: ReadonlyMap<string, unknown>, now: number): void {
    this.#viewers.clear()
    const isThere = members.has(this.#agent)
    if (!isThere) this.#agentLeft()
    for (const [id, info] of members) this.memberAdded(id, info, now)
  }

  /** This side has left the channel, or its connection is gone. */
  left(): void {
    this.#viewers.clear()
    this.#doubt()
    this.#owedSince = undefined
  }

  memberAdded(id: string, info: unknown, now: number): void {
    if (id.startsWith('viewer.')) this.#viewers.add(id)
    if (id !== this.#agent) return
    this.#isPresent = true
    this.#version = agentInfo.safeParse(info).data?.version ?? undefined
    // A new run begins at 1; the same run continues after a reconnect. Either way something may have been missed
    // (AG-024).
    this.#sequence = undefined
    this.#doubt()
    this.#owedSince = now
  }

  memberRemoved(id: string): void {
    this.#viewers.delete(id)
    if (id === this.#agent) this.#agentLeft()
  }

  /** False for a message that is ignored, because it is not of this Node's agent (AG-018). */
  receive(userId: string | undefined, message: AgentStateMessage, now: number): boolean {
    if (userId !== this.#agent) return false
    if (!this.#isPresent) {
      // Who is no member cannot speak, so the list of members is wrong; the join that asks for a snapshot brings another.
      this.#owedSince ??= now
      return false
    }
    this.#returned(now)
    this.#follow(message.data.sequence, now)
    this.#isHeard = true
    this.#wasOnline = true
    this.#heardAt = now
    this.#apply(message, now)
    return true
  }

  see(now: number): AgentSight {
    const isOnline = this.#isHeard && now - this.#heardAt < SILENCE_MILLISECONDS
    const isKept = now - this.#heardAt < KEPT_MILLISECONDS
    const units = isKept ? this.#units.known : undefined
    return {
      presence: isOnline ? 'online' : this.#wasOnline ? 'lost' : 'unknown',
      isFresh: isOnline && this.#units.isCurrent,
      hasFreshWorkspaces: isOnline && this.#workspaces.isCurrent,
      version: this.#version,
      docker: isKept ? this.#docker : undefined,
      units: units && { byKey: units, isCut: this.#units.isCut },
      workspaces: isKept ? this.#workspaces.known : undefined,
    }
  }

  get hasViewers(): boolean {
    return this.#viewers.size > 0
  }

  /** Whether the time has come to ask for a snapshot, by leaving the channel and joining it again (AGT-040). */
  isSnapshotOverdue(now: number): boolean {
    if (this.#owedSince === undefined) return false
    return now - this.#owedSince >= Math.min(OWED_MAX_MILLISECONDS, OWED_MILLISECONDS * 2 ** this.#asks)
  }

  /** One is being asked for; the join that follows counts the time anew. */
  asked(): void {
    this.#asks += 1
  }

  #agentLeft(): void {
    this.#isPresent = false
    this.#isHeard = false
    this.#sequence = undefined
    this.#doubt()
    this.#owedSince = undefined
  }

  /** What is known may no longer be so, until a complete list says it again. */
  #doubt(): void {
    this.#units.doubt()
    this.#workspaces.doubt()
  }

  /**
   * An agent that was lost without leaving, such as one that was frozen, may have missed something that its numbers do
   * not show.
   */
  #returned(now: number): void {
    const silence = now - this.#heardAt
    if (!this.#isHeard || silence < SILENCE_MILLISECONDS) return
    if (silence >= KEPT_MILLISECONDS) this.#forget()
    this.#doubt()
    this.#owedSince ??= now
  }

  /** AG-025: one that goes back is of another run that nobody announced. One that skips says that something was lost. */
  #follow(sequence: number, now: number): void {
    const last = this.#sequence
    this.#sequence = sequence
    if (last === undefined || sequence === last + 1) return
    if (sequence <= last) this.#forget()
    this.#doubt()
    this.#owedSince ??= now
  }

  #forget(): void {
    this.#units.forget()
    this.#workspaces.forget()
    this.#docker = undefined
  }

  #apply(message: AgentStateMessage, now: number): void {
    switch (message.event) {
      case 'client-heartbeat':
        return
      case 'client-snapshot':
        return this.#applySnapshot(message.data, now)
      case 'client-process':
        return this.#units.change(message.data.unit)
      case 'client-workspaces': {
        const { part, parts, workspaces } = message.data
        return void this.#workspaces.take(part, parts, workspaces)
      }
      case 'client-workspace':
        return this.#workspaces.change(message.data.workspace)
    }
  }

  #applySnapshot({ part, parts, units, docker }: AgentMessageData<'client-snapshot'>, now: number): void {
    const taken = this.#units.take(part, parts, units)
    if (taken === 'complete') {
      this.#docker = docker
      this.#owedSince = undefined
      this.#asks = 0
    }
    // A part that does not fit is a snapshot that was announced and never came whole.
    if (taken === 'broken') this.#owedSince ??= now
  }
}
