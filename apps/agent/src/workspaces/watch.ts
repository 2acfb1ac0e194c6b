import type { Clock } from '@fleet/kernel'
import type { Gateway } from '../gateway.ts'
import { askWorkspaces } from './list.ts'
import { makeWorkspaceReader, type WorkspaceReader } from './read.ts'
import { tracesOf } from './traces.ts'
import type { WantedWorkspace, WorkspaceState } from './workspace.ts'

/** AGT-033 */
const LOOK_MILLISECONDS = 2000
const READ_MILLISECONDS = 30_000
const LIST_MILLISECONDS = 60_000

export interface WorkspacesListener {
  /** The list is another one, or a checkout on it cannot be read any more. */
  readonly listChanged: () => void
  /** One checkout has another state. */
  readonly changed: (state: WorkspaceState) => void
}

export interface WorkspacesDeps {
  readonly gateway: Gateway
  readonly clock: Clock
  readonly listener: WorkspacesListener
  readonly read?: WorkspaceReader
}

interface Watched {
  readonly wanted: WantedWorkspace
  readonly traces: string
  readonly readAt: number
  readonly state: WorkspaceState | undefined
}

/** The checkouts that the gateway wants watched, read one after the other. */
export class Workspaces {
  readonly #deps: WorkspacesDeps
  readonly #reader: WorkspaceReader
  #watched = new Map<number, Watched>()
  #listedAt = Number.NEGATIVE_INFINITY

  constructor(deps: WorkspacesDeps) {
    this.#deps = deps
    this.#reader = deps.read ?? makeWorkspaceReader()
  }

  /** Those that could be read. */
  get states(): readonly WorkspaceState[] {
    return [...this.#watched.values()].flatMap(({ state }) => (state ? [state] : []))
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      if (clock.ticks() - this.#listedAt >= LIST_MILLISECONDS) await this.#ask(signal)
      for (const { wanted } of this.#watched.values()) {
        if (signal.aborted) return
        await this.#look(wanted, signal)
      }
      // Without checkouts there is nothing to look at until the next list.
      const pause = this.#watched.size > 0 ? LOOK_MILLISECONDS : LIST_MILLISECONDS
      await clock.sleep(pause, signal)
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { clock, gateway, listener } = this.#deps
    // A list that is unavailable is requested again a minute later; the old one stays in use.
    this.#listedAt = clock.ticks()
    const list = await askWorkspaces(gateway, signal).catch(() => undefined)
    if (!list || signal.aborted) return
    const before = [...this.#watched.values()].map(({ wanted }) => wanted)
    if (JSON.stringify(before) === JSON.stringify(list)) return
    const known = new Map(
      before.map((wanted) => [JSON.stringify(wanted), this.#watched.get(wanted.instance_id)]),
    )
    this.#watched = new Map(
      list.map((wanted) => [wanted.instance_id, known.get(JSON.stringify(wanted)) ?? unread(wanted)]),
    )
    for (const { wanted, readAt } of this.#watched.values())
      if (readAt === NEVER) await this.#read(wanted, signal)
    if (!signal.aborted) listener.listChanged()
  }

  async #look(wanted: WantedWorkspace, signal: AbortSignal): Promise<void> {
    const known = this.#watched.get(wanted.instance_id)
    if (!known) return
    const isDue = this.#deps.clock.ticks() - known.readAt >= READ_MILLISECONDS
    if (!isDue && (await tracesOf(wanted.path, wanted.base)) === known.traces) return
    const state = await this.#read(wanted, signal)
    if (signal.aborted || JSON.stringify(state) === JSON.stringify(known.state)) return
    if (state) this.#deps.listener.changed(state)
    else this.#deps.listener.listChanged()
  }

  async #read(wanted: WantedWorkspace, signal: AbortSignal): Promise<WorkspaceState | undefined> {
    const { clock } = this.#deps
    // Taken first: what happens during the reading shows at the next look.
    const traces = await tracesOf(wanted.path, wanted.base)
    const state = await this.#reader(wanted, signal).catch(() => undefined)
    if (!signal.aborted)
      this.#watched.set(wanted.instance_id, { wanted, traces, readAt: clock.ticks(), state })
    return state
  }
}

const NEVER = Number.NEGATIVE_INFINITY
const unread = (wanted: WantedWorkspace): Watched => ({ wanted, traces: '', readAt: NEVER, state: undefined })
