import { fail, LITERALS, type Operation, pathParams } from '@fleet/contract'
import { type Clock, type Ids, LIMITS, within } from '@fleet/kernel'
import { type Access, asCoded } from '@fleet/fleet'
import type { RouteGenericInterface } from 'fastify'
import type { Admission, Place } from './admission.ts'
import { normalAddress } from './address.ts'
import { type Answer, failure } from './answer.ts'
import { type Body, bodyInPlace, readBody } from './body.ts'
import type { Dispatch, Incoming } from './dispatch.ts'
import { goneOf, leftOf } from './gone.ts'
import { isName } from './input.ts'
import { isCrossSite } from './origin.ts'
import { clientText, requestIdOf } from './request-id.ts'
import { sendAnswer } from './send.ts'
import type { App, Reply, Request, Texts } from './server.ts'
import { wantsLines } from './watch.ts'

/** For a client that reads slowly: without the last line it knows nothing of the outcome. */
const LAST_LINE_MILLISECONDS = 5000

export interface RouteDeps {
  readonly dispatch: Dispatch
  readonly access: Pick<Access, 'identify'>
  readonly admission: Admission
  readonly ids: Ids
  readonly clock: Clock
}

/** Mounts every operation of the catalogue below `/api/v1`. */
export function mountOperations(app: App, catalogue: readonly Operation[], deps: RouteDeps): void {
  for (const operation of catalogue) {
    app.route<Texts>({
      method: operation.method,
      url: LITERALS.apiPrefix + operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async (request, reply) => {
        const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => deps.ids.orderedUuid())
        // A NUL names no record, and not every database can be asked for one.
        if (
          Object.entries(request.params).some(
            ([name, value]) => value.includes('\0') && isName(operation, name),
          )
        )
          return refuseUnknown(request, reply, deps, [])
        return sendAnswer(
          reply,
          requestId,
          await answerOf(operation, request, reply, requestId, deps),
          operation.mediaType,
        )
      },
    })
  }
  app.setNotFoundHandler((request, reply) =>
    refuseUnknown(request, reply, deps, methodsOf(catalogue, pathOf(request))),
  )
  app.setErrorHandler((error, request, reply) => {
    const { code, statusCode } = error as { code?: unknown; statusCode?: unknown } // Fastify marks errors of the request itself.
    // A path that cannot be decoded, or names something too long, names nothing.
    if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH')
      return refuseUnknown(request, reply, deps, [])
    // A method that no route has; HTTP/1.1 refuses most of them itself, and Fastify reads the body of some before it looks for a route.
    if (code === 'FST_ERR_NOT_FOUND' || !METHODS.has(request.method))
      return refuseUnknown(request, reply, deps, methodsOf(catalogue, pathOf(request)))
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return refuseMediaType(request, reply, deps)
    const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => deps.ids.orderedUuid())
    const coded = statusCode === 400 ? fail('http.400', { cause: error }) : asCoded(error)
    return sendAnswer(reply, requestId, failure(requestId, coded))
  })
}

async function answerOf(
  operation: Operation,
  request: Request,
  reply: Reply<Texts>,
  requestId: string,
  deps: RouteDeps,
): Promise<Answer> {
  let place: Place
  try {
    // The status is what says that the gateway drains.
    place = deps.admission.enter(
      normalAddress(request.raw.socket.remoteAddress),
      operation.access === 'public',
    )
  } catch (error) {
    return failure(requestId, asCoded(error))
  }
  const left = leftOf(reply)
  let done: Promise<unknown> | undefined
  try {
    if (operation.method !== 'GET' && isCrossSite(request.headers, request.host))
      return failure(requestId, fail('http.403'))
    const incoming = incomingOf(operation, request, {
      requestId,
      clock: deps.clock,
      place,
      gone: operation.endsWithClient ? goneOf(reply) : undefined,
    })
    const answer = await bounded(deps.dispatch(incoming), requestId, deps.clock)
    done = answer.done
    return answer
  } finally {
    // Work behind an answer in lines keeps its place until it ends and its last line has left, so that a stop waits for both.
    if (done) void done.then(() => within(deps.clock, LAST_LINE_MILLISECONDS, left)).finally(place.leave)
    else place.leave()
  }
}

/** GW-033: the web tier answers after 600 s whatever the handler does; the work continues to its end. */
async function bounded(answer: Promise<Answer>, requestId: string, clock: Clock): Promise<Answer> {
  const answered = await within(clock, LIMITS.requestSeconds * 1000, answer)
  return answered.inTime ? answered.value : failure(requestId, fail('command.deadline_exceeded'))
}

interface IncomingDeps {
  readonly requestId: string
  readonly clock: Clock
  readonly place: Place
  readonly gone: AbortSignal | undefined
}

const incomingOf = (
  operation: Operation,
  request: Request,
  { requestId, clock, place, gone }: IncomingDeps,
): Incoming => {
  let body: ReturnType<typeof readBody> | undefined
  const read = (): Promise<Body> => readBody(request.raw, request.headers, clock, operation)
  return {
    operation,
    requestId,
    address: normalAddress(request.raw.socket.remoteAddress),
    path: request.params,
    query: request.query,
    body: () => (body ??= bodyInPlace(place, read)),
    watch: wantsLines(request.headers.accept),
    gone,
    browser: {
      origin: `https://${request.host}`,
      wantsHtml: request.headers.accept?.includes('text/html') === true,
    },
    authorization: request.headers.authorization,
    client: clientText(request.headers[LITERALS.clientHeader]),
    clientVersion: clientText(request.headers[LITERALS.clientVersionHeader]),
  }
}

/** Below `/api/v1` nothing but the public reads answers a stranger, so not even the list of paths shows (GW-006). */
async function refuseUnknown<R extends RouteGenericInterface>(
  request: Request<R>,
  reply: Reply<R>,
  { access, ids }: RouteDeps,
  methods: readonly string[],
): Promise<Reply<R>> {
  const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => ids.orderedUuid())
  try {
    if (pathOf(request).startsWith(`${LITERALS.apiPrefix}/`))
      await access.identify('peer', normalAddress(request.raw.socket.remoteAddress))
  } catch (error) {
    return sendAnswer(reply, requestId, failure(requestId, asCoded(error)))
  }
  if (methods.length === 0) return sendAnswer(reply, requestId, failure(requestId, fail('http.404')))
  reply.header('allow', methods.join(', '))
  return sendAnswer(reply, requestId, failure(requestId, fail('http.405', { details: { allowed: methods } })))
}

/** A stranger learns no more than that the address is unknown. */
async function refuseMediaType<R extends RouteGenericInterface>(
  request: Request<R>,
  reply: Reply<R>,
  { access, ids }: RouteDeps,
): Promise<Reply<R>> {
  const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => ids.orderedUuid())
  const refusal = await access
    .identify('peer', normalAddress(request.raw.socket.remoteAddress))
    .then(() => fail('http.415'), asCoded)
  return sendAnswer(reply, requestId, failure(requestId, refusal))
}

const pathOf = <R extends RouteGenericInterface>(request: Request<R>): string =>
  request.url.split('?')[0] ?? ''

/** What is mounted beside the operations, with the methods that answer more than a refusal. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/mcp': ['POST'],
  '/mcp/search': ['POST'],
  '/docs': ['GET'],
  '/docs/rapidoc-min.js': ['GET'],
  '/openapi.json': ['GET'],
  '/healthz': ['GET'],
}

function methodsOf(catalogue: readonly Operation[], path: string): readonly string[] {
  const known = catalogue.filter((operation) => matches(operation, path)).map(({ method }) => method)
  const methods = new Set<string>([...(PAGES[path] ?? []), ...known])
  // Fastify answers it with the headers of GET (RFC 9110, 9.3.2).
  return methods.has('GET') ? [...methods, 'HEAD'] : [...methods]
}

/** What some path answers. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

const matches = (operation: Operation, path: string): boolean => {
  const pattern = pathParams(operation.path).reduce(
    (text, param) => text.replace(`{${param}}`, '[^/]+'),
    operation.path,
  )
  return new RegExp(`^${LITERALS.apiPrefix}${pattern}$`).test(path)
}
