import type { ClaimedWork, Store } from '@fleet/store'
import { attempt, type AttemptDeps } from '#/work/attempt.ts'
import type { WorkKind } from '#/work/kinds.ts'
import type { WorkLog } from '#/work/ports.ts'
import { SetBack } from '#/work/set-back.ts'

export interface WorkRunnerDeps extends AttemptDeps {
  readonly store: Pick<Store, 'transaction' | 'work'>
  readonly kinds: readonly WorkKind[]
  readonly log: WorkLog
  readonly leaseSeconds?: number
  /** How many pieces run at once in this process, of the kinds without places of their own. */
  readonly slots?: number
}

/** Takes work that is due for as long as the process takes any. */
export interface WorkRunner {
  /** Takes nothing more and resolves when what is in flight has ended. */
  drain(): Promise<void>
}

const LEASE_SECONDS = 60
const SLOTS = 8
const SHARED = 'shared'
/** Work that was added unheard, such as by a console command beside SQLite, is found after this. */
const POLL_MILLISECONDS = 10_000
const RETRY_MILLISECONDS = 1000
/** Ticks of a fleet that starts. */
const FIRST_TICK_SECONDS = 2
const TICK_KEY = 'tick'

export function startWorkRunner(deps: WorkRunnerDeps): WorkRunner {
  const loop = new Loop(deps)
  const running = loop.run()
  return {
    async drain() {
      loop.stop()
      await running
    },
  }
}

class Loop {
  readonly #deps: WorkRunnerDeps
  readonly #kinds: ReadonlyMap<string, WorkKind>
  readonly #setBack: SetBack
  readonly #stopping = new AbortController()
  /** Those of kinds with places of their own, and of the others together. */
  readonly #inFlight = new Map<string, Set<Promise<void>>>()
  #woken = new AbortController()

  constructor(deps: WorkRunnerDeps) {
    this.#deps = deps
    this.#setBack = new SetBack(deps.clock)
    this.#kinds = new Map(deps.kinds.map((kind) => [kind.name, kind]))
  }

  stop(): void {
    this.#stopping.abort()
    this.#wake()
  }

  async run(): Promise<void> {
    const { store, clock } = this.#deps
    using _listening = store.work.onAdded(() => this.#wake())
    await this.#untilStopped(() => this.#addTicks(() => FIRST_TICK_SECONDS))
    while (!this.#stopping.signal.aborted) {
      // Renewed before the look, so that what is added during it is not slept over.
      this.#woken = new AbortController()
      const pause = await this.#takeAll()
      if (pause > 0 && !this.#stopping.signal.aborted) await clock.sleep(pause, this.#woken.signal)
    }
    await Promise.all([...this.#inFlight.values()].flatMap((pieces) => [...pieces]))
  }

  #wake(): void {
    this.#woken.abort()
  }

  /** Takes what is due while there is room; the milliseconds until there may be more. */
  async #takeAll(): Promise<number> {
    const { store, clock } = this.#deps
    try {
      await this.#setBack.follow((reached) => this.#hasten(reached))
      for (;;) {
        const kinds = this.#kindsWithRoom()
        if (kinds.length === 0 || this.#stopping.signal.aborted) return POLL_MILLISECONDS
        const next = await store.work.nextDueAt(kinds)
        const wait = next ? next.getTime() - clock.now().getTime() : POLL_MILLISECONDS
        if (wait > 0) return Math.min(wait, POLL_MILLISECONDS)
        if (!(await this.#takeOne(kinds))) return RETRY_MILLISECONDS
      }
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'work could not be claimed')
      return RETRY_MILLISECONDS
    }
  }

  /** Names of the kinds of which one more piece may run: what takes long holds up only its like. */
  #kindsWithRoom(): readonly string[] {
    const { slots = SLOTS } = this.#deps
    return [...this.#kinds.values()].flatMap((kind) =>
      this.#besides(kind).size < (kind.places ?? slots) ? [kind.name] : [],
    )
  }

  /** What runs in the same places. */
  #besides({ name, places }: WorkKind): Set<Promise<void>> {
    return this.#inFlight.getOrInsertComputed(places === undefined ? SHARED : name, () => new Set())
  }

  async #takeOne(kinds: readonly string[]): Promise<boolean> {
    const { store, leaseSeconds = LEASE_SECONDS } = this.#deps
    const piece = await store.work.claim({ kinds, leaseSeconds })
    const kind = piece && this.#kinds.get(piece.kind)
    if (!piece || !kind) return false
    const besides = this.#besides(kind)
    const ended = this.#carryOut(kind, piece).finally(() => {
      besides.delete(ended)
      this.#wake()
    })
    besides.add(ended)
    return true
  }

  async #carryOut(kind: WorkKind, piece: ClaimedWork): Promise<void> {
    using held = piece
    try {
      await attempt(this.#deps, kind, held)
    } catch (error) {
      // Its row is still ours: whoever finds the lease at its end takes it over.
      this.#deps.log.warn({ err: error, kind: kind.name }, 'work was left unfinished')
    }
  }

  /** Each tick of the fleet is one row, whichever gateway adds it; of two times the earlier one counts. */
  async #addTicks(secondsOf: (everySeconds: number) => number): Promise<void> {
    const { store, clock } = this.#deps
    for (const { name, everySeconds } of this.#kinds.values()) {
      if (everySeconds === undefined) continue
      const dueAt = new Date(clock.now().getTime() + secondsOf(everySeconds) * 1000)
      await store.work.add({ kind: name, key: TICK_KEY, payload: null, dueAt })
    }
  }

  /** What was due by a clock that was set back would wait until it is there again (decision 0350). */
  async #hasten(reached: Date): Promise<void> {
    await this.#deps.store.work.hasten(reached)
    await this.#addTicks((everySeconds) => everySeconds)
  }

  async #untilStopped(work: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#deps
    while (!this.#stopping.signal.aborted) {
      try {
        return await work()
      } catch (error) {
        log.warn({ err: error }, 'the ticks of the fleet could not be added')
        await clock.sleep(RETRY_MILLISECONDS, this.#stopping.signal)
      }
    }
  }
}
