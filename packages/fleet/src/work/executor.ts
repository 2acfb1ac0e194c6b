import { eventIdOf } from '@fleet/contract'
import { Deadline, type CodedError, type Clock, Fault, type Ids, LIMITS } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import type { Journal, OpenActivity } from '#/activities/api.ts'
import type { ActivityNote, Call, Caller, Emit, StepProgress } from '#/call.ts'
import { CallLocks, type LockOrderViolation } from '#/locks/api.ts'
import { asCoded } from '#/work/coded.ts'
import { exitCodeOf } from '#/work/exit-code.ts'
import { CollectedEvents } from '#/work/collected-events.ts'
import type { EventPublisher, FeedEvent, WorkLog } from '#/work/ports.ts'
import { type UnrecordedReason, withoutActivity } from '#/work/unrecorded.ts'

export interface ExecutorDeps {
  readonly store: Pick<Store, 'transaction'>
  readonly journal: Pick<Journal, 'open'>
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  readonly feed: EventPublisher
  readonly log: WorkLog
  /** Aborts work that is still in flight when the process stops for good. */
  readonly signal: AbortSignal
  /** For tests: a lock that is taken against the order fails the work instead of being logged. */
  readonly strictLocks?: boolean | undefined
}

/** How work is recorded: a change before it begins (API-017), a read once when it ends (API-019), or not at all, with its reason. */
export type Recording =
  | {
      readonly as: 'change' | 'read'
      /** An answer for everybody, also while the store takes no row of it (decision 0275). */
      readonly mayMiss?: boolean
      readonly callerAddress?: string
      readonly client?: string | undefined
      readonly clientVersion?: string | undefined
    }
  | { readonly unrecorded: UnrecordedReason }

/** What admission may add to the Activity before the work begins. */
export interface Entry {
  readonly note: ActivityNote
  /** Who the work is for; not called for work of the system itself. */
  caller(caller: Caller): void
  /** The input says that a change would only read: it is recorded as a read is. */
  readsOnly(): void
}

/** What the work writes in one transaction with its outcome. What it throws leaves the outcome to `failed`. */
export interface Ending<T> {
  succeeded(db: Database, result: T): Promise<void>
  failed(db: Database, error: CodedError): Promise<void>
}

export interface Execution<I, T> {
  /** As the Activity and the holders of locks name it. */
  readonly operation: string
  /** A fresh one when absent. */
  readonly requestId?: string
  readonly recording: Recording
  /** Finds the caller and the input, or refuses. What it refuses is recorded without ever having been running. */
  admit(entry: Entry): Promise<I> | I
  run(call: Call, input: I): Promise<T>
  /** What a console command ends with, in the place of what ended on a Node (ACT-015). */
  readonly exitStatus?: { readonly succeeded: number; readonly failed: number }
  /** For streams only. */
  readonly emit?: Emit
  readonly progress?: ((progress: StepProgress) => void) | undefined
  readonly ending?: Ending<T>
  /** The error of work whose result says itself that it failed: its Activity has it, and its events are published all the same (EV-084). */
  readonly failureOf?: (result: T) => CodedError | undefined
  /** Aborts this work alone; that of the process does too. */
  readonly signal?: AbortSignal
}

/** Carries out all work of a gateway: requests, console commands and work without a request. */
export interface Executor {
  /**
   * Admits the work, begins its Activity, runs it, records the outcome and publishes its events after success alone
   * (EV-012, EV-083). Throws only coded errors; anything else becomes `http.500` and is logged.
   */
  execute<I, T>(execution: Execution<I, T>): Promise<T>
}

export const makeExecutor = (deps: ExecutorDeps): Executor => ({
  execute: (execution) => new Running(deps, execution).result(),
})

class Running<I, T> {
  readonly #deps: ExecutorDeps
  readonly #execution: Execution<I, T>
  readonly #requestId: string
  readonly #activity: OpenActivity
  readonly #events = new CollectedEvents()
  #caller: Caller | undefined
  #readsOnly = false

  constructor(deps: ExecutorDeps, execution: Execution<I, T>) {
    this.#deps = deps
    this.#execution = execution
    this.#requestId = execution.requestId ?? deps.ids.uuid()
    this.#activity = this.#open()
  }

  async result(): Promise<T> {
    const { recording, run, ending, failureOf } = this.#execution
    try {
      const input = await this.#admit()
      // Stored before any work, so that a crash in the middle leaves its trace (API-017).
      if ('as' in recording && recording.as === 'change' && !this.#readsOnly) await this.#activity.begin()
      const result = await run(this.#call(), input)
      const failed = failureOf?.(result)
      if (failed) await this.#activity.fail(failed.code)
      else await this.#succeed(ending && ((db) => ending.succeeded(db, result)))
      await this.#publish(this.#events.all())
      return result
    } catch (error) {
      throw await this.#failed(asCoded(error))
    }
  }

  async #succeed(also: Parameters<OpenActivity['succeed']>[0]): Promise<void> {
    const { recording, exitStatus } = this.#execution
    if (exitStatus) this.#activity.note.exitCode(exitStatus.succeeded)
    try {
      await this.#activity.succeed(also)
    } catch (cause) {
      if ('unrecorded' in recording || recording.mayMiss !== true) throw cause
      this.#deps.log.error(this.#facts({ err: cause }), 'the outcome could not be stored')
    }
  }

  #open(): OpenActivity {
    const { journal, clock, store } = this.#deps
    const { recording, operation } = this.#execution
    if ('unrecorded' in recording) return withoutActivity(store)
    const { callerAddress = '', client, clientVersion } = recording
    return journal.open({
      requestId: this.#requestId,
      command: operation,
      callerAddress,
      client,
      clientVersion,
      startedAt: clock.now(),
      startedTicks: clock.ticks(),
    })
  }

  #admit(): Promise<I> | I {
    return this.#execution.admit({
      note: this.#activity.note,
      caller: (caller) => {
        this.#caller = caller
        this.#activity.caller(caller.id)
      },
      readsOnly: () => void (this.#readsOnly = true),
    })
  }

  #call(): Call {
    const { clock } = this.#deps
    const { operation, emit = refuseLines, progress = ignoreProgress } = this.#execution
    return {
      requestId: this.#requestId,
      operation,
      caller: this.#caller,
      deadline: new Deadline(clock, LIMITS.deadlineSeconds, LIMITS.cleanupReserveSeconds),
      signal: this.#execution.signal
        ? AbortSignal.any([this.#execution.signal, this.#deps.signal])
        : this.#deps.signal,
      locks: new CallLocks((violation) => this.#outOfOrder(violation)),
      note: this.#activity.note,
      emit,
      event: (type, data) => this.#events.record(type, data),
      publish: (type, data) => this.#publish([{ type, id: eventIdOf(type, data), data }]),
      progress,
      log: (message, facts) => this.#deps.log.info(this.#facts(facts), message),
    }
  }

  #outOfOrder(violation: LockOrderViolation): void {
    if (this.#deps.strictLocks) throw violation
    this.#deps.log.error(this.#facts({ err: violation }), 'a lock was taken against the order')
  }

  async #publish(events: readonly FeedEvent[]): Promise<void> {
    if (events.length === 0) return
    try {
      await this.#deps.feed.publish(events)
    } catch (error) {
      this.#deps.log.warn(
        this.#facts({ err: error, events: events.length }),
        'the feed did not accept the events',
      )
    }
  }

  async #failed(error: CodedError): Promise<CodedError> {
    const { ending } = this.#execution
    const { log } = this.#deps
    const exitCode = this.#execution.exitStatus?.failed ?? exitCodeOf(error)
    if (exitCode !== undefined) this.#activity.note.exitCode(exitCode)
    if (error instanceof Fault) log.error(this.#facts({ err: error, code: error.code }), 'operation failed')
    try {
      await this.#activity.fail(error.code, ending && ((db) => ending.failed(db, error)))
    } catch (cause) {
      log.error(this.#facts({ err: cause }), 'the outcome could not be stored')
    }
    return error
  }

  #facts(facts: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
    return { request_id: this.#requestId, operation: this.#execution.operation, ...facts }
  }
}

const refuseLines: Emit = () => Promise.reject(new Error('only stream operations write lines'))
const ignoreProgress = (): void => undefined
