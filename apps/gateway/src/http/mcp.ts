import { fail, LITERALS, type Operation } from '@fleet/contract'
import { type Access, asCoded } from '@fleet/fleet'
import type { Clock, CodedError, Ids } from '@fleet/kernel'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { normalAddress } from './address.ts'
import type { Admission, Place } from './admission.ts'
import { type Answer, errorBody, failure } from './answer.ts'
import { bodyInPlace, isObject, type Json, readJson } from './body.ts'
import type { Dispatch } from './dispatch.ts'
import { messageOf, type RpcAnswer, RPC, rpcError } from './mcp-message.ts'
import { oneLimit } from './mcp-limit.ts'
import { answerMessage, isMethod, isSupported, type McpContext } from './mcp-methods.ts'
import { MAX_CALLS, searchServerTools } from './mcp-search.ts'
import { goneOf } from './gone.ts'
import { patiently } from './mcp-patience.ts'
import { operationTools, type ToolBox } from './mcp-tools.ts'
import { isCrossSite } from './origin.ts'
import { clientText, requestIdOf } from './request-id.ts'
import { sendAnswer } from './send.ts'
import type { App, Reply, Request, Texts } from './server.ts'

export interface McpDeps {
  readonly dispatch: Dispatch
  readonly access: Access
  readonly admission: Admission
  readonly ids: Ids
  readonly clock: Clock
  readonly catalogue: readonly Operation[]
  readonly version: string
}

/** The revision of MCP that has batches; the previous one did not name them, the later ones forbid them. */
const BATCH_VERSION = '2025-03-26'
const supported = SUPPORTED_PROTOCOL_VERSIONS

/** Mounts both endpoints (MCP-001). Every call is an internal API request with the caller's address (MCP-004). */
export function mountMcp(app: App, deps: McpDeps): void {
  const operations = operationTools(deps)
  for (const [url, box] of [
    ['/mcp', operations],
    ['/mcp/search', searchServerTools(operations)],
  ] as const) {
    app.route<Texts>({
      method: ['GET', 'POST', 'DELETE'],
      url,
      handler: (request, reply) => answer(request, reply, box, deps),
    })
  }
}

async function answer(
  request: Request,
  reply: Reply<Texts>,
  box: ToolBox,
  deps: McpDeps,
): Promise<Reply<Texts>> {
  const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => deps.ids.orderedUuid())
  // Sent without a place: a reply whose client has gone over HTTP/2 never settles.
  const ready = await answerOf(request, reply, requestId, { box, deps })
  return sendAnswer(reply, requestId, ready, ready.lines && JSON_TYPE)
}

async function answerOf(
  request: Request,
  reply: Reply<Texts>,
  requestId: string,
  { box, deps }: { readonly box: ToolBox; readonly deps: McpDeps },
): Promise<Answer> {
  const address = normalAddress(request.raw.socket.remoteAddress)
  let place: Place | undefined
  let done: Promise<unknown> | undefined
  try {
    place = deps.admission.enter(address)
    // Before anything is listed (MCP-003).
    await deps.access.identify('peer', address)
    if (isCrossSite(request.headers, request.host)) throw fail('http.403')
    if (request.method !== 'POST') throw onlyPost(reply)
    const caller = {
      address,
      client: clientText(request.headers[LITERALS.clientHeader]),
      clientVersion: clientText(request.headers[LITERALS.clientVersionHeader]),
      gone: goneOf(reply),
      nextRequestId: idsFrom(requestId, deps),
      inTime: oneLimit(deps),
    }
    const read = (): Promise<Json> => readJson(request.raw, request.headers, deps.clock)
    const body = await bodyInPlace(place, read)
    const ready = await serve(request, body, { box, caller, version: deps.version, clock: deps.clock })
    done = ready.done
    return ready
  } catch (error) {
    return failure(requestId, asCoded(error))
  } finally {
    // Calls behind an answer that has begun keep their place until they end.
    if (done) void done.finally(place?.leave)
    else place?.leave()
  }
}

/** No session and no stream of the server's own exist that could be read or ended. */
function onlyPost(reply: Reply<Texts>): CodedError {
  reply.header('allow', 'POST')
  return fail('http.405', { details: { allowed: ['POST'] } })
}

const idsFrom = (first: string, { ids }: McpDeps): (() => string) => {
  let next: string | undefined = first
  return () => {
    const id = next ?? ids.uuid()
    next = undefined
    return id
  }
}

/** RFC 9110, 8.3.1 and 12.5.1: media types are compared whole and without case. */
const takesJson = (accept: string): boolean =>
  accept
    .split(',')
    .some((range) => /^(?:application\/json|application\/\*|\*\/\*)$/i.test(range.replace(/;.*/s, '').trim()))

interface ServeContext extends McpContext {
  readonly clock: Clock
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers one POST: a message, or several at once under the one revision that has batches. */
async function serve(request: Request, body: Json, context: ServeContext): Promise<Answer> {
  if (body.error) return unreadable(body)
  // Every answer is JSON, so a client that takes JSON need not take event streams too.
  if (!takesJson(request.headers.accept ?? '*/*'))
    return rpc(406, rpcError(null, RPC.refused, 'The header `Accept` must allow application/json.'))
  const { value } = body
  const version = headerOf(request, 'mcp-protocol-version')
  // The version is agreed on by `initialize`, so its own header is not looked at.
  if (version !== undefined && !isSupported(version) && !isInitialize(value))
    return rpc(400, rpcError(null, RPC.refused, 'The protocol version is not supported.', { supported }))
  if (Array.isArray(value)) return batch(value, version, context)
  const message = messageOf(value, isMethod)
  if (message.kind === 'request') return patiently(context.clock, answerMessage(message, context))
  const answer = await answerMessage(message, context)
  return answer ? rpc(400, answer) : NOTHING
}

async function batch(
  values: readonly unknown[],
  version: string | undefined,
  context: ServeContext,
): Promise<Answer> {
  const wrong = wrongBatch(values, version)
  if (wrong !== undefined) return rpc(400, rpcError(null, RPC.invalidRequest, wrong))
  const answer = await patiently(context.clock, answersOf(values, context))
  return answer.lines || (Array.isArray(answer.body) && answer.body.length > 0) ? answer : NOTHING
}

/** In order, one after the other, as `execute_tools` does. */
async function answersOf(values: readonly unknown[], context: McpContext): Promise<readonly RpcAnswer[]> {
  const answers: RpcAnswer[] = []
  for (const value of values) {
    const answer = await answerMessage(messageOf(value, isMethod), context)
    if (answer) answers.push(answer)
  }
  return answers
}

function wrongBatch(values: readonly unknown[], version: string | undefined): string | undefined {
  // A client that sends no version speaks the revision before the header was invented, which is the one with batches.
  if (version !== undefined && version !== BATCH_VERSION)
    return `Batches belong to revision ${BATCH_VERSION}; send one message in each request.`
  if (values.length === 0) return 'A batch must contain at least one message.'
  if (values.length > MAX_CALLS) return `A batch can contain at most ${MAX_CALLS} messages.`
  return values.some(isInitialize) ? '`initialize` must not be in a batch.' : undefined
}

const isInitialize = (value: unknown): boolean => isObject(value) && value['method'] === 'initialize'

const headerOf = (request: Request, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const rpc = (status: number, body: RpcAnswer | readonly RpcAnswer[]): Answer => ({ status, body })

/** Accepted, and nothing to say. */
const NOTHING: Answer = { status: 202, body: undefined }

/** JSON-RPC 2.0: what is no JSON has no id to answer under, and JSON with a member twice or too many levels is no message. */
function unreadable({ value, error }: Json & { readonly error: CodedError }): Answer {
  const { code, message, details } = errorBody('', error)
  const data = { code, ...(details === undefined ? {} : { details }) }
  const isJson = value !== undefined
  const read = messageOf(value, isMethod)
  const id = isJson && read.kind !== 'notice' ? read.id : null
  const reason = isJson ? RPC.invalidRequest : RPC.parse
  return rpc(error.status === 422 ? 400 : error.status, rpcError(id, reason, String(message), data))
}
