import { fail, LITERALS, type Operation, pathParams } from '@fleet/contract'
import { type Clock, type Ids, LIMITS, within } from '@fleet/kernel'
import type { RouteGenericInterface } from 'fastify'
import type { Admission } from './admission.ts'
import { normalAddress } from './address.ts'
import { type Answer, asCoded, failure } from './answer.ts'
import { readBody } from './body.ts'
import type { Dispatch, Incoming } from './dispatch.ts'
import { isCrossSite } from './origin.ts'
import { clientText, requestIdOf } from './request-id.ts'
import { sendAnswer } from './send.ts'
import type { App, Reply, Request, Texts } from './server.ts'

export interface RouteParts {
  readonly dispatch: Dispatch
  readonly admission: Admission
  readonly ids: Ids
  readonly clock: Clock
}

/** Mounts every operation of the catalogue below `/api/v1`. */
export function mountOperations(app: App, catalogue: readonly Operation[], parts: RouteParts): void {
  for (const operation of catalogue) {
    app.route<Texts>({
      method: operation.method,
      url: LITERALS.apiPrefix + operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async (request, reply) => {
        const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => parts.ids.uuid())
        return sendAnswer(
          reply,
          requestId,
          await answerOf(operation, request, requestId, parts),
          operation.mediaType,
        )
      },
    })
  }
  app.setNotFoundHandler((request, reply) => refuseUnknown(catalogue, request, reply, parts.ids))
  app.setErrorHandler((error, request, reply) => {
    const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => parts.ids.uuid())
    const status = (error as { statusCode?: unknown }).statusCode // Fastify marks errors of the request itself.
    return sendAnswer(
      reply,
      requestId,
      failure(requestId, status === 400 ? fail('http.400', { cause: error }) : asCoded(error)),
    )
  })
}

async function answerOf(
  operation: Operation,
  request: Request,
  requestId: string,
  parts: RouteParts,
): Promise<Answer> {
  let leave: () => void
  try {
    leave = parts.admission.enter()
  } catch (error) {
    return failure(requestId, asCoded(error))
  }
  try {
    if (operation.method !== 'GET' && isCrossSite(request.headers, request.host))
      return failure(requestId, fail('http.403'))
    return await bounded(
      parts.dispatch(incomingOf(operation, request, requestId, parts.clock)),
      requestId,
      parts.clock,
    )
  } finally {
    leave()
  }
}

/** GW-033: the web tier answers after 600 s whatever the handler does; the work goes on to its own end. */
async function bounded(answer: Promise<Answer>, requestId: string, clock: Clock): Promise<Answer> {
  const answered = await within(clock, LIMITS.requestSeconds * 1000, answer)
  return answered.inTime ? answered.value : failure(requestId, fail('command.deadline_exceeded'))
}

const incomingOf = (operation: Operation, request: Request, requestId: string, clock: Clock): Incoming => {
  let body: ReturnType<typeof readBody> | undefined
  return {
    operation,
    requestId,
    address: normalAddress(request.raw.socket.remoteAddress),
    path: request.params,
    query: request.query,
    body: () => (body ??= readBody(request.raw, request.headers['content-type'], clock)),
    client: clientText(request.headers[LITERALS.clientHeader]),
    clientVersion: clientText(request.headers[LITERALS.clientVersionHeader]),
  }
}

function refuseUnknown<R extends RouteGenericInterface>(
  catalogue: readonly Operation[],
  request: Request<R>,
  reply: Reply<R>,
  ids: Ids,
): Reply<R> {
  const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => ids.uuid())
  const methods = methodsOf(catalogue, request.url.split('?')[0] ?? '')
  if (methods.length === 0) return sendAnswer(reply, requestId, failure(requestId, fail('http.404')))
  reply.header('allow', methods.join(', '))
  return sendAnswer(reply, requestId, failure(requestId, fail('http.405', { details: { allowed: methods } })))
}

const methodsOf = (catalogue: readonly Operation[], path: string): string[] => [
  ...new Set(catalogue.filter((operation) => matches(operation, path)).map((operation) => operation.method)),
]

const matches = (operation: Operation, path: string): boolean => {
  const pattern = pathParams(operation.path).reduce(
    (text, param) => text.replace(`{${param}}`, '[^/]+'),
    operation.path,
  )
  return new RegExp(`^${LITERALS.apiPrefix}${pattern}$`).test(path)
}
