import {
  errorRegistry,
  findOperation,
  isErrorCode,
  LITERALS,
  memberLocation,
  type Operation,
  type OperationName,
  type OutputOf,
  pathParams,
  type RequestOf,
} from '@fleet/contract'
import { type Clock, type Ids, systemClock, systemIds } from '@fleet/kernel'
import type { Answer, RetryOf } from './answer.ts'
import { AnswerError, type CallOptions, type Input, InputError, makeSender, type Route } from './core.ts'
import { requireHeaderText, requireOrigin } from './route.ts'
import { type Fetch, fetchTransport, platformFetch, type Transport } from './transport.ts'

export interface ClientOptions {
  /** Origin of the gateway, such as `https://gateway.fleet`. */
  readonly baseUrl: string
  /** The platform's `fetch` when absent. */
  readonly fetch?: Fetch
  /** Instead of `fetch`, for a client with sockets of its own. */
  readonly transport?: Transport
  /** Short name that is stored with the Activity. */
  readonly clientName?: string
  readonly timeoutSeconds?: number
  /** Check answers against the operation's schema too; an answer that breaks it is an AnswerError. */
  readonly checkAnswers?: boolean
  readonly clock?: Pick<Clock, 'sleep'>
  readonly ids?: Pick<Ids, 'uuid'>
}

/** What answers pages to browsers, which are no answers to a program. */
export const BROWSER_OPERATIONS = [
  'github:app:confirm',
  'github:app:register',
  'instance:wake',
] as const satisfies readonly OperationName[]

export type CallName = Exclude<OperationName, (typeof BROWSER_OPERATIONS)[number]>

/** A typed client of the API: names, inputs and answers are those of the catalogue. */
export interface Client {
  /** Rejects with ApiError, UnreachableError, AnswerError or InputError, also for an operation that answers lines. */
  call<N extends CallName>(name: N, input: RequestOf<N>, options?: CallOptions): Promise<Answer<OutputOf<N>>>
  /** Lines of a stream operation as they arrive. Throws InputError for any other operation. */
  stream<N extends CallName>(name: N, input: RequestOf<N>, options?: CallOptions): AsyncIterable<OutputOf<N>>
}

/** Throws InputError for options with which no request could be sent. */
export function createClient(options: ClientOptions): Client {
  requireOrigin(options.baseUrl)
  if (options.clientName !== undefined) requireHeaderText('clientName', options.clientName)
  const transport = options.transport ?? fetchTransport(options.fetch ?? platformFetch)
  const ids = options.ids ?? systemIds
  const clock = options.clock ?? systemClock
  const sender = makeSender({ ...options, transport, clock, ids, retryOf })
  return {
    async call<N extends CallName>(name: N, input: RequestOf<N>, callOptions?: CallOptions) {
      const operation = named(name, false)
      const answer = await sender.send(routeOf(operation), input as Input, callOptions) // Every input is an object.
      if (options.checkAnswers) checkAnswer(operation, answer)
      return answer as Answer<OutputOf<N>> // The gateway answers by the same declaration; checkAnswers proves it.
    },
    stream<N extends CallName>(name: N, input: RequestOf<N>, callOptions: CallOptions = {}) {
      const operation = named(name, true)
      const requestId = callOptions.requestId ?? ids.uuid()
      const given = input as Input // As for call.
      const lines = sender.stream(routeOf(operation), given, { ...callOptions, requestId })
      const shown = options.checkAnswers ? checkedLines(operation, lines, requestId) : lines
      return shown as AsyncIterable<OutputOf<N>> // The gateway answers by the same declaration.
    },
  }
}

export const retryOf: RetryOf = (code) => (isErrorCode(code) ? errorRegistry[code].retry : undefined)

/** Method, full path and member places of an operation. */
export function routeOf({ name, method, path, kind, input, maxAnswerBytes }: Operation): Route {
  const params = pathParams(path)
  const members = Object.keys(input.shape).map(
    (member) => [member, params.includes(member) ? 'path' : memberLocation(method)] as const,
  )
  return {
    name,
    method,
    path: LITERALS.apiPrefix + path,
    kind,
    members: Object.fromEntries(members),
    maxAnswerBytes,
  }
}

function named(name: string, asLines: boolean): Operation {
  const operation = findOperation(name)
  if (!operation) throw new TypeError(`unknown operation ${name}`)
  if (operation.kind === 'page' || operation.kind === 'browser')
    throw new InputError(`${name} answers pages to browsers`)
  if ((operation.kind === 'stream') !== asLines)
    throw new InputError(`${name} ${asLines ? 'answers once: use call' : 'answers lines: use stream'}`)
  return operation
}

async function* checkedLines(
  operation: Operation,
  lines: AsyncIterable<unknown>,
  requestId: string,
): AsyncGenerator {
  for await (const data of lines) {
    checkAnswer(operation, { data, status: 200, requestId })
    yield data
  }
}

function checkAnswer(
  operation: Operation,
  { data, status, requestId }: Pick<Answer<unknown>, 'data' | 'status' | 'requestId'>,
): void {
  const { success, error } = operation.output.safeParse(data)
  if (success) return
  throw new AnswerError(`The response to ${operation.name} does not match its declaration.`, {
    status,
    requestId,
    cause: error,
  })
}
