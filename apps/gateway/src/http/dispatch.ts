import { fail, isCallback, isWatchable, type Operation } from '@fleet/contract'
import {
  type Access,
  type AnyHandler,
  type Call,
  type Caller,
  type Emit,
  type Journal,
  type Located,
  type OpenActivity,
  type Outcome,
  unrecorded,
} from '@fleet/fleet'
import { type Clock, type CodedError, Deadline, Fault, LIMITS } from '@fleet/kernel'
import type { Logger } from 'pino'
import { CollectedEvents } from '../feed/collected-events.ts'
import type { Feed } from '../feed/feed.ts'
import { type Answer, asCoded, errorBody, failure, success } from './answer.ts'
import type { Body } from './body.ts'
import { parseInput } from './input.ts'
import { LineQueue } from './lines.ts'
import { watched } from './watch.ts'

/** One request for one operation, whatever interface it came through. */
export interface Incoming {
  readonly operation: Operation
  readonly requestId: string
  /** Source address of the connection: the caller's identity (GW-004). */
  readonly address: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly body: () => Promise<Body>
  /** The client wants to see the steps of an operation that tells them. */
  readonly watch?: boolean
  /** The header's value, which only agents send. */
  readonly authorization?: string | undefined
  readonly client?: string | undefined
  readonly clientVersion?: string | undefined
}

export interface DispatchParts {
  readonly access: Access
  readonly journal: Journal
  readonly handlers: Readonly<Record<string, AnyHandler>>
  readonly clock: Clock
  readonly log: Logger
  readonly feed: Feed
  /** Aborts what is still in hand when the gateway stops for good. */
  readonly signal: AbortSignal
}

export type Dispatch = (incoming: Incoming) => Promise<Answer>

/**
 * Carries a request through identity, record, grant, input, Activity and handler, in the order of decisions 2.
 * Never throws: a failure is an answer.
 */
export const makeDispatch =
  (parts: DispatchParts): Dispatch =>
  (incoming) =>
    new Passage(parts, incoming).go()

class Passage {
  readonly #parts: DispatchParts
  readonly #incoming: Incoming
  readonly #events = new CollectedEvents()
  #caller: Caller | undefined
  #isForm = false

  constructor(parts: DispatchParts, incoming: Incoming) {
    this.#parts = parts
    this.#incoming = incoming
  }

  async go(): Promise<Answer> {
    const { journal, clock } = this.#parts
    const { operation, requestId } = this.#incoming
    const activity =
      isCallback(operation) || operation.unrecorded
        ? unrecorded
        : journal.open({
            requestId,
            command: operation.name,
            callerAddress: this.#incoming.address,
            client: this.#incoming.client,
            clientVersion: this.#incoming.clientVersion,
            startedAt: clock.now(),
            startedTicks: clock.ticks(),
          })
    try {
      const input = await this.#admit(activity)
      // Stored before any work, so that a crash in the middle leaves its trace (API-017).
      if (operation.method !== 'GET') await activity.begin()
      const call = this.#call(activity, refuseLines)
      if (operation.kind === 'stream') return await this.#stream(call, input, activity)
      return this.#incoming.watch && isWatchable(operation)
        ? await this.#watched(call, input, activity)
        : await this.#single(call, input, activity)
    } catch (error) {
      return this.#failed(activity, asCoded(error))
    }
  }

  async #single(call: Call, input: Record<string, unknown>, activity: OpenActivity): Promise<Answer> {
    const { operation, requestId } = this.#incoming
    const outcome = await this.#run(call, input)
    await this.#succeeded(activity)
    if (operation.kind === 'raw' || this.#isForm) return { status: 200, body: outcome.data }
    return success(requestId, outcome.data, operation.creates && outcome.created === true ? 201 : 200)
  }

  #watched(call: Call, input: Record<string, unknown>, activity: OpenActivity): Promise<Answer> {
    const { requestId } = this.#incoming
    return watched({
      clock: this.#parts.clock,
      work: (progress) =>
        this.#single({ ...call, progress }, input, activity).catch((error: unknown) =>
          this.#failed(activity, asCoded(error)),
        ),
      late: () => failure(requestId, fail('command.deadline_exceeded')),
    })
  }

  /** The first line decides: an error before it is an ordinary answer, one after it is the last line. */
  #stream(call: Call, input: Record<string, unknown>, activity: OpenActivity): Promise<Answer> {
    const lines = new LineQueue()
    const ended = Promise.withResolvers<void>()
    return new Promise((resolve) => {
      let begun = false
      const emit: Emit = (line) => {
        if (!begun) resolve({ status: 200, body: undefined, lines, done: ended.promise })
        begun = true
        return lines.push(line)
      }
      const finish = async (): Promise<void> => {
        const outcome = await this.#run({ ...call, emit }, input)
        await this.#succeeded(activity)
        await emit(outcome.data)
      }
      const close = async (error: unknown): Promise<void> => {
        const refused = await this.#failed(activity, asCoded(error))
        if (!begun) return resolve(refused)
        await emit({ type: 'error', error: errorBody(this.#incoming.requestId, asCoded(error)) })
      }
      void finish()
        .catch(close)
        .finally(() => {
          lines.end()
          ended.resolve()
        })
    })
  }

  #run(call: Call, input: Record<string, unknown>): Promise<Outcome<unknown>> {
    const handler = this.#parts.handlers[call.operation]
    if (!handler) throw new Error(`operation ${call.operation} has no handler`)
    return handler({ call, input: input as never }) // The operation's own schema made it; the catalogue ties both.
  }

  /** Identity 403, record 404, grant 403, input 422, in this order. */
  async #admit(activity: OpenActivity): Promise<Record<string, unknown>> {
    const { access } = this.#parts
    const { operation, path, query } = this.#incoming
    this.#caller = await access.identify(
      operation.access,
      this.#incoming.address,
      this.#incoming.authorization,
    )
    if (this.#caller) activity.caller(this.#caller.id)
    // Only a grant that the body names needs the body before the grant check.
    const early = operation.access === 'bodyNode' ? await this.#incoming.body() : undefined
    const located = await access.locate(operation, { path, body: early?.members ?? {} })
    noteLocated(activity, located)
    await access.authorize(operation, this.#caller, located)
    const body = early ?? (operation.method === 'GET' ? { members: {} } : await this.#incoming.body())
    if (body.error) throw body.error
    this.#isForm = body.isForm === true
    return parseInput(operation, { path, query, members: body.members })
  }

  /** The one place of everything that follows a success: its record, then what the feed tells of it (EV-012, EV-083). */
  async #succeeded(activity: OpenActivity): Promise<void> {
    await activity.succeed()
    const events = this.#events.all()
    if (events.length === 0) return
    try {
      await this.#parts.feed.publish(events)
    } catch (error) {
      this.#log().warn({ err: error, events: events.length }, 'the feed did not take the events')
    }
  }

  async #failed(activity: OpenActivity, error: CodedError): Promise<Answer> {
    if (error instanceof Fault) this.#log().error({ err: error, code: error.code }, 'request failed')
    try {
      await activity.fail(error.code)
    } catch (cause) {
      this.#log().error({ err: cause }, 'the outcome could not be stored')
    }
    return failure(this.#incoming.requestId, error)
  }

  // Made only where something is logged, which most requests never do.
  #log(): Logger {
    const { requestId, operation } = this.#incoming
    return this.#parts.log.child({ request_id: requestId, operation: operation.name })
  }

  #call(activity: OpenActivity, emit: Emit): Call {
    const { clock, signal } = this.#parts
    return {
      requestId: this.#incoming.requestId,
      operation: this.#incoming.operation.name,
      caller: this.#caller,
      deadline: new Deadline(clock, LIMITS.deadlineSeconds, LIMITS.cleanupReserveSeconds),
      signal,
      note: activity.note,
      emit,
      event: (type, data) => this.#events.record(type, data),
      progress: () => undefined,
      log: (message, facts) => this.#log().info({ ...facts }, message),
    }
  }
}

const refuseLines: Emit = () => Promise.reject(new Error('only stream operations write lines'))

function noteLocated(activity: OpenActivity, { nodes: [first, second], subject }: Located): void {
  if (first && !second) activity.note.target(first.id)
  if (subject) activity.note.subject(subject.type, subject.id)
}
