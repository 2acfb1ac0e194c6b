import { isObject, type Json } from '#/print/value.ts'
import { Parts } from './parts.ts'

/** AG-001 to AG-005. */
export type Presence = 'unknown' | 'online' | 'lost'

const SILENCE_MILLISECONDS = 15_000

export interface AgentUnit {
  readonly name: string
  readonly runtime: string
  readonly runtime_status: string
}

/** What one viewer knows of a Node from its agent: pure, fed with what arrives on the Node's channel. */
export class AgentView {
  readonly #member: string
  #isMember = false
  #heardAt: number | undefined
  /** Since it joined. */
  #isHeard = false
  #sequence = 0
  #units = new Map<string, AgentUnit>()
  #workspaces = new Map<number, Json>()
  readonly #unitParts = new Parts()
  readonly #workspaceParts = new Parts()
  /** `available` or `absent`; undefined before the first snapshot. */
  docker: string | undefined
  version: string | undefined
  /** Whether the units are known. */
  hasSnapshot = false

  constructor(nodeId: number) {
    this.#member = `agent.${nodeId}`
  }

  get units(): readonly AgentUnit[] {
    return [...this.#units.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  get workspaces(): readonly Json[] {
    return [...this.#workspaces.values()]
  }

  /** Whether the agent is online but has not yet reported what runs on the Node. */
  get isAwaited(): boolean {
    return this.#isMember && !this.hasSnapshot
  }

  presence(ticks: number): Presence {
    if (this.#heardAt === undefined) return 'unknown'
    return this.#isMember && this.#isHeard && ticks - this.#heardAt < SILENCE_MILLISECONDS ? 'online' : 'lost'
  }

  /** Milliseconds since the last event of the agent. */
  silence(ticks: number): number | undefined {
    return this.#heardAt === undefined ? undefined : ticks - this.#heardAt
  }

  joined(userId: string, userInfo: unknown): void {
    if (userId !== this.#member) return
    this.#isMember = true
    const version = isObject(userInfo) ? userInfo['version'] : undefined
    this.version = typeof version === 'string' ? version : undefined
    // Another run of the agent counts anew.
    this.#sequence = 0
  }

  left(userId: string): void {
    if (userId !== this.#member) return
    this.#isMember = false
    this.#isHeard = false
    this.#forget()
  }

  /** An event that somebody else sent, one without a number and one that repeats an old number are none of the agent's (AG-018, AG-024). */
  hear(event: string, data: unknown, userId: string | undefined, ticks: number): void {
    if (userId !== this.#member || !isObject(data)) return
    const { sequence } = data
    if (typeof sequence !== 'number' || sequence === this.#sequence) return
    if (sequence < this.#sequence) this.#forget()
    this.#sequence = sequence
    this.#heardAt = ticks
    this.#isHeard = this.#isMember
    this.#take(event, data)
  }

  #take(event: string, data: Json): void {
    switch (event) {
      case 'client-snapshot':
        return this.#takeSnapshot(data)
      case 'client-process':
        if (isUnit(data['unit']) && this.hasSnapshot) this.#units.set(data['unit'].name, data['unit'])
        return
      case 'client-workspaces': {
        const all = this.#workspaceParts.add(data, data['workspaces'])
        if (all) this.#workspaces = byInstance(all)
        return
      }
      case 'client-workspace':
        for (const [id, one] of byInstance([data['workspace']])) this.#workspaces.set(id, one)
    }
  }

  #takeSnapshot(data: Json): void {
    const all = this.#unitParts.add(data, data['units'])
    if (!all) return
    this.#units = new Map(all.filter(isUnit).map((unit) => [unit.name, unit]))
    this.docker = typeof data['docker'] === 'string' ? data['docker'] : undefined
    this.hasSnapshot = true
  }

  #forget(): void {
    this.#units = new Map()
    this.#workspaces = new Map()
    this.#sequence = 0
    this.docker = undefined
    this.hasSnapshot = false
  }
}

const isUnit = (value: unknown): value is AgentUnit =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['runtime'] === 'string' &&
  typeof value['runtime_status'] === 'string'

const byInstance = (values: readonly unknown[]): Map<number, Json> =>
  new Map(
    values.filter(isObject).flatMap((value) => {
      const id = value['instance_id']
      return typeof id === 'number' ? [[id, value]] : []
    }),
  )
