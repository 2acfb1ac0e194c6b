import {
  fail,
  githubPage,
  isCallback,
  isWatchable,
  namesNodeInBody,
  type Operation,
  wakePage,
} from '@fleet/contract'
import {
  type Access,
  type AnyHandler,
  asCoded,
  type Call,
  ClientGone,
  type Emit,
  type Entry,
  type Execution,
  type Executor,
  type Located,
  type Outcome,
  type UnrecordedReason,
} from '@fleet/fleet'
import type { Clock, CodedError } from '@fleet/kernel'
import { type Answer, errorBody, failure, success } from './answer.ts'
import type { Body } from './body.ts'
import { browserAnswer, browserFailure, type BrowserRequest } from './browser-page.ts'
import { parseInput } from './input.ts'
import { LineQueue } from './lines.ts'
import { isPhase, probeClient } from './probe.ts'
import { wakeAnswer } from './wake-page.ts'
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
  /** Members of path or query that no text of HTTP could be: refused before a record is looked for. */
  readonly unusable?: CodedError | undefined
  /** The client wants to watch the steps of a watchable operation. */
  readonly watch?: boolean
  /** How a browser asked; absent where no browser can. */
  readonly browser?: Omit<BrowserRequest, 'requestId'>
  /** The header's value, which only agents send. */
  readonly authorization?: string | undefined
  /** Aborts when the client has gone before its answer; absent where the work continues without it. */
  readonly gone?: AbortSignal | undefined
  readonly client?: string | undefined
  readonly clientVersion?: string | undefined
}

export interface DispatchDeps {
  readonly access: Access
  readonly executor: Executor
  readonly handlers: Readonly<Record<string, AnyHandler>>
  readonly clock: Clock
}

export type Dispatch = (incoming: Incoming) => Promise<Answer>

/**
 * Carries a request through identity, record, grant, input, Activity and handler, in the order of decisions 2.
 * Never throws: a failure is an answer.
 */
export const makeDispatch =
  (deps: DispatchDeps): Dispatch =>
  (incoming) => {
    const request = new DispatchedRequest(deps, incoming)
    if (incoming.operation.kind === 'stream') return request.streamed()
    return incoming.watch && isWatchable(incoming.operation) ? request.watched() : request.answered()
  }

/** What a handler is given of a request that was let through. */
interface Admitted {
  readonly input: Record<string, unknown>
  /** The records that the path names. */
  readonly found: Located['found']
}

class DispatchedRequest {
  readonly #deps: DispatchDeps
  readonly #incoming: Incoming
  #isForm = false
  #outlivesClient = false

  constructor(deps: DispatchDeps, incoming: Incoming) {
    this.#deps = deps
    this.#incoming = incoming
  }

  async answered(listener: Pick<Execution<Admitted, unknown>, 'progress'> = {}): Promise<Answer> {
    const { operation, requestId, browser = NO_BROWSER } = this.#incoming
    try {
      const outcome = await this.#execute(listener)
      if (operation.kind === 'empty') return { status: 204, body: undefined }
      if (operation.kind === 'page') return wakeAnswer(wakePage.parse(outcome.data))
      if (operation.kind === 'browser')
        return browserAnswer(githubPage.parse(outcome.data), { requestId, ...browser })
      if (operation.kind === 'raw' || this.#isForm) return { status: 200, body: outcome.data }
      return success(requestId, outcome.data, operation.creates && outcome.created === true ? 201 : 200)
    } catch (error) {
      return operation.kind === 'browser'
        ? browserFailure(asCoded(error), { requestId, ...browser })
        : failure(requestId, asCoded(error))
    }
  }

  watched(): Promise<Answer> {
    const { requestId } = this.#incoming
    return watched({
      clock: this.#deps.clock,
      work: (progress) => this.answered({ progress }),
      late: () => failure(requestId, fail('command.deadline_exceeded')),
    })
  }

  /** The first line decides: an error before it is an ordinary answer, one after it is the last line. */
  streamed(): Promise<Answer> {
    const { requestId } = this.#incoming
    const lines = new LineQueue()
    const ended = Promise.withResolvers<void>()
    return new Promise((resolve) => {
      let begun = false
      const push: Emit = (line) => {
        if (!begun) resolve({ status: 200, body: undefined, lines, done: ended.promise })
        begun = true
        return lines.push(line)
      }
      const emit: Emit = async (line) => {
        if (isPhase(line)) await probeClient(this.#deps.clock, push)
        return push(line)
      }
      const close = async (error: unknown): Promise<void> => {
        const coded = asCoded(error)
        if (!begun) return resolve(failure(requestId, coded))
        await emit({ type: 'error', status: coded.status, error: errorBody(requestId, coded) })
      }
      void this.#execute({ emit })
        .then(({ data }) => emit(data))
        .catch(close)
        .finally(() => {
          lines.end()
          ended.resolve()
        })
    })
  }

  #execute(listener: Pick<Execution<Admitted, unknown>, 'emit' | 'progress'>): Promise<Outcome<unknown>> {
    const { operation, requestId, address, client, clientVersion, gone } = this.#incoming
    const reason = unrecordedReason(operation)
    const as = operation.method === 'GET' ? 'read' : 'change'
    const mayMiss = as === 'read' && operation.access === 'public'
    return this.#deps.executor.execute({
      operation: operation.name,
      requestId,
      recording: reason
        ? { unrecorded: reason }
        : { as, mayMiss, callerAddress: address, client, clientVersion },
      admit: (entry) => this.#admit(entry),
      run: (call, admitted) => this.#run(call, admitted),
      failureOf: ({ failure }) => failure,
      ...(gone ? { signal: unless(gone, () => this.#outlivesClient) } : {}),
      ...listener,
    })
  }

  #run(call: Call, { input, found = {} }: Admitted): Promise<Outcome<unknown>> {
    const handler = this.#deps.handlers[call.operation]
    if (!handler) throw new Error(`operation ${call.operation} has no handler`)
    // The operation's own schema made the input and the locators of its path the records; the catalogue ties both.
    return handler({ call, input: input as never, found: found as never }) // as: see above.
  }

  /** Identity 403, record 404, grant 403, input 422, in this order. */
  async #admit(entry: Entry): Promise<Admitted> {
    const { access } = this.#deps
    const { operation, path, query, address, authorization } = this.#incoming
    const caller = await access.identify(operation.access, address, authorization)
    if (caller) entry.caller(caller)
    if (this.#incoming.unusable) throw this.#incoming.unusable
    // Only a grant that the body names needs the body before the grant check.
    const early = namesNodeInBody(operation) ? await this.#incoming.body() : undefined
    const located = await access.locate(operation, { path, query, body: early?.members ?? {} })
    noteLocated(entry, located)
    await access.authorize(operation, caller, located)
    if (located.refusal) throw located.refusal
    const body = early ?? (operation.method === 'GET' ? { members: {} } : await this.#incoming.body())
    if (body.error) throw body.error
    this.#isForm = body.isForm === true
    const input = parseInput(operation, { path: byIds(path, located), query, members: body.members })
    this.#outlivesClient = outlivesClient(operation, input)
    if (operation.changesWith !== undefined && input[operation.changesWith] !== true) entry.readsOnly()
    return { input, found: located.found }
  }
}

const NO_BROWSER = { origin: '', wantsHtml: false }

/** Whether the request asks that its work continues when its client has gone. */
const outlivesClient = (
  { endsWithClient: ending }: Operation,
  input: Readonly<Record<string, unknown>>,
): boolean => typeof ending === 'object' && input[ending.unless] === true

/** Aborts with the client, but for one that may go by then. */
function unless(gone: AbortSignal, mayGo: () => boolean): AbortSignal {
  const ending = new AbortController()
  const end = (): void => {
    if (!mayGo()) ending.abort(new ClientGone())
  }
  if (gone.aborted) end()
  else gone.addEventListener('abort', end, { once: true })
  return ending.signal
}

/** An Instance that its path names by a domain has its id in the input (ENV-006). */
const byIds = (
  path: Incoming['path'],
  { found: { instance, candidate } = {} }: Located,
): Incoming['path'] => ({
  ...path,
  ...(instance && { instance: String(instance.id) }),
  ...(candidate && { candidate: String(candidate.id) }),
})

const unrecordedReason = (operation: Operation): UnrecordedReason | undefined => {
  if (isCallback(operation)) return 'callback'
  return operation.unrecorded ? 'renewal' : undefined
}

function noteLocated(
  { note }: Pick<Entry, 'note'>,
  { nodes: [first, second], target, subject }: Located,
): void {
  const acted = target ?? (second ? undefined : first?.id)
  if (acted !== undefined) note.target(acted)
  if (subject) note.subject(subject.type, subject.id)
}
