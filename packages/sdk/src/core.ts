import type { WatchedStep } from '@fleet/contract'
import type { Clock, Ids } from '@fleet/kernel'
import {
  type Answer,
  type AnswerFacts,
  isObject,
  notApi,
  readEnvelope,
  refusal,
  type RetryOf,
} from './answer.ts'
import { AnswerError, UnreachableError } from './errors.ts'
import { linesOf, textOf } from './lines.ts'
import { cutOff, readWatched, statusOf } from './watch.ts'
import { type Input, requireHeaderText, type Route, writeRequest } from './route.ts'
import type { HttpAnswer, Transport } from './transport.ts'

export type { Answer } from './answer.ts'
export * from './errors.ts'
export { type Input, InputError, type Route } from './route.ts'
export type { HttpAnswer, HttpRequest, Transport } from './transport.ts'
export type { WatchedStep } from '@fleet/contract'

/** GW-037. */
const RETRY_AFTER_MILLISECONDS = 250
/** A little more than the gateway takes to give up itself (GW-033), so that its own answer is seen. */
const TIMEOUT_SECONDS = 620
/** The largest inventory fits (DEX-030). */
const MAX_JSON_BYTES = 32 * 1024 * 1024

export interface SenderOptions {
  /** Origin of the gateway, such as `https://gateway.fleet`. */
  readonly baseUrl: string
  readonly transport: Transport
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly retryOf: RetryOf
  readonly clientName?: string | undefined
  readonly clientVersion?: string | undefined
  /** Time for one request, 620 when absent. */
  readonly timeoutSeconds?: number | undefined
}

export interface CallOptions {
  /** A UUID; the client makes one when absent. */
  readonly requestId?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutSeconds?: number | undefined
  /** Called for each step of a watchable operation as it happens. If it throws, only the waiting ends, not the work. */
  readonly watch?: ((step: WatchedStep) => void) | undefined
}

/** Sends operations by their routes. It holds no schema, so that a command line starts fast. */
export interface Sender {
  /** Rejects with ApiError, UnreachableError, AnswerError or InputError. */
  send(route: Route, input: Input, options?: CallOptions): Promise<Answer<unknown>>
  /** Lines of a stream operation as they arrive; the same errors, also from the middle of the stream. */
  stream(route: Route, input: Input, options?: CallOptions): AsyncGenerator
}

export function makeSender(sender: SenderOptions): Sender {
  return {
    send: (route, input, options = {}) => new Exchange(sender, route, options).single(input),
    stream: (route, input, options = {}) => new Exchange(sender, route, options).lines(input),
  }
}

/** One request with its identity, time and abort. */
class Exchange {
  readonly #sender: SenderOptions
  readonly #route: Route
  readonly #requestId: string
  readonly #watch: CallOptions['watch']
  readonly #abort = new AbortController()
  readonly #ended = new AbortController()
  readonly #seconds: number
  readonly #signal: AbortSignal | undefined
  #timedOut = false

  constructor(sender: SenderOptions, route: Route, options: CallOptions) {
    this.#sender = sender
    this.#route = route
    this.#requestId = options.requestId ?? sender.ids.uuid()
    this.#watch = options.watch
    this.#seconds = options.timeoutSeconds ?? sender.timeoutSeconds ?? TIMEOUT_SECONDS
    this.#signal = options.signal
  }

  /** Its time counts from the request: lines that nobody reads ask nothing. */
  #begin(): void {
    void this.#sender.clock.sleep(this.#seconds * 1000, this.#ended.signal).then(() => this.#expire())
    const abort = (): void => this.#abort.abort(this.#signal?.reason)
    if (this.#signal?.aborted) abort()
    this.#signal?.addEventListener('abort', abort, { signal: this.#ended.signal })
  }

  async single(input: Input): Promise<Answer<unknown>> {
    try {
      const answer = await this.#open(input)
      const facts = this.#facts(answer.status)
      if (this.#watch && answer.status < 400) return await this.#watched(answer, this.#watch)
      const text = await this.#text(answer)
      if (this.#route.kind === 'empty' && answer.status < 400)
        return { data: null, status: answer.status, requestId: this.#requestId, text }
      if (this.#route.kind === 'raw' && answer.status < 400)
        return { data: text, status: answer.status, requestId: this.#requestId, text }
      return readEnvelope(text, facts)
    } finally {
      this.#ended.abort()
    }
  }

  async #watched(answer: HttpAnswer, watch: NonNullable<CallOptions['watch']>): Promise<Answer<unknown>> {
    const lines = linesOf(answer.chunks)
    const next = (): Promise<IteratorResult<string>> => this.#read(answer.status, () => lines.next())
    try {
      return await readWatched(next, watch, this.#facts(answer.status))
    } finally {
      // Ends the connection of a reader that stopped early.
      this.#abort.abort()
    }
  }

  async *lines(input: Input): AsyncGenerator {
    try {
      const answer = await this.#open(input)
      const facts = this.#facts(answer.status)
      if (answer.status >= 400) readEnvelope(await this.#text(answer), facts)
      const lines = linesOf(answer.chunks)
      for (let isWhole = false; ;) {
        const next = await this.#read(answer.status, () => lines.next())
        if (next.done && !isWhole) throw cutOff(facts)
        if (next.done) return
        const line = parsedLine(next.value, facts)
        isWhole = isObject(line) && line['type'] === 'result'
        yield line
      }
    } finally {
      this.#ended.abort()
      // Ends the connection of a reader that stopped early.
      this.#abort.abort()
    }
  }

  async #open(input: Input): Promise<HttpAnswer> {
    this.#begin()
    const answer = await this.#attempts(input)
    const isRedirect = answer.status === 0 || (answer.status >= 300 && answer.status < 400)
    if (isRedirect)
      throw notApi(this.#facts(answer.status), 'it responded with a redirect, which is not followed')
    return answer
  }

  /** A read whose connection failed is tried once more; a change never, for it may have been made (GW-037). */
  async #attempts(input: Input): Promise<HttpAnswer> {
    try {
      return await this.#once(input)
    } catch (error) {
      const mayRepeat =
        this.#route.method === 'GET' && error instanceof UnreachableError && !this.#abort.signal.aborted
      if (!mayRepeat) throw error
      await this.#sender.clock.sleep(RETRY_AFTER_MILLISECONDS, this.#abort.signal)
      return this.#once(input)
    }
  }

  async #once(input: Input): Promise<HttpAnswer> {
    const { baseUrl, transport } = this.#sender
    const { target, body } = writeRequest(this.#route, input)
    const headers = this.#headers(body !== undefined)
    for (const [name, value] of Object.entries(headers)) requireHeaderText(name, value)
    try {
      return await transport({
        method: this.#route.method,
        url: baseUrl.replace(/\/+$/, '') + target,
        headers,
        body,
        signal: this.#abort.signal,
      })
    } catch (cause) {
      throw this.#unreachable(cause)
    }
  }

  #headers(hasBody: boolean): Record<string, string> {
    const { clientName, clientVersion } = this.#sender
    return {
      accept:
        this.#route.kind === 'stream' || this.#watch
          ? 'application/x-ndjson, application/json'
          : this.#route.kind === 'raw'
            ? '*/*'
            : 'application/json',
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      'x-fleet-request-id': this.#requestId,
      ...(clientName ? { 'x-fleet-client': clientName } : {}),
      ...(clientVersion ? { 'x-fleet-client-version': clientVersion } : {}),
    }
  }

  async #text({ status, chunks }: HttpAnswer): Promise<string> {
    const { kind, maxAnswerBytes = MAX_JSON_BYTES } = this.#route
    const isRaw = kind === 'raw' && status < 400
    // An error is as long as its details, whatever the answer of the operation may be.
    const maxBytes = isRaw ? Infinity : status < 400 ? maxAnswerBytes : MAX_JSON_BYTES
    const text = await this.#read(status, () => textOf(chunks, maxBytes))
    if (text === undefined) throw notApi(this.#facts(status), `its response has more than ${maxBytes} bytes`)
    return text
  }

  async #read<T>(status: number, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (cause) {
      if (this.#abort.signal.aborted) throw this.#unreachable(cause)
      throw new AnswerError('The connection ended in the middle of the answer.', {
        status,
        isCutOff: true,
        requestId: this.#requestId,
        cause,
      })
    }
  }

  #unreachable(cause: unknown): UnreachableError {
    const [requestId, timedOut] = [this.#requestId, this.#timedOut]
    if (this.#signal?.aborted && !timedOut)
      return new UnreachableError('The call was ended by its caller.', {
        requestId,
        timedOut,
        aborted: true,
        cause: this.#signal.reason,
      })
    const message = timedOut ? 'The gateway did not answer in time.' : 'The gateway cannot be reached.'
    return new UnreachableError(message, { requestId, timedOut, cause })
  }

  #expire(): void {
    if (this.#ended.signal.aborted) return
    this.#timedOut = true
    this.#abort.abort()
  }

  #facts(status: number): AnswerFacts {
    return { status, requestId: this.#requestId, retryOf: this.#sender.retryOf }
  }
}

/** A line that says `type: error` ends the stream as the error it holds. */
function parsedLine(text: string, facts: AnswerFacts): unknown {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch (cause) {
    throw notApi(facts, 'a line of its response is not JSON', cause)
  }
  if (isObject(line) && line['type'] === 'error' && isObject(line['error']))
    throw refusal(line['error'], text, { ...facts, status: statusOf(line, facts) })
  return line
}
