import { fail, LITERALS, type Operation } from '@fleet/contract'
import { type Access, asCoded } from '@fleet/fleet'
import type { Clock, CodedError, Ids } from '@fleet/kernel'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { normalAddress } from './address.ts'
import type { Admission, Place } from './admission.ts'
import { errorBody, failure } from './answer.ts'
import { type Body, bodyInPlace, readBody } from './body.ts'
import type { Dispatch } from './dispatch.ts'
import { searchServerTools } from './mcp-search.ts'
import { type McpCaller, operationTools, type ToolBox } from './mcp-tools.ts'
import { isCrossSite } from './origin.ts'
import { clientText, requestIdOf } from './request-id.ts'
import { sendAnswer } from './send.ts'
import type { App, Reply, Request, Texts } from './server.ts'

export interface McpParts {
  readonly dispatch: Dispatch
  readonly access: Access
  readonly admission: Admission
  readonly ids: Ids
  readonly clock: Clock
  readonly catalogue: readonly Operation[]
  readonly version: string
}

/** The transport wants an address; what the client wrote into `Host` may be none. */
const ORIGIN = 'https://gateway.fleet'
const PARSE_ERROR = -32_700

/** Mounts both endpoints (MCP-001). Every call is an internal API request with the caller's address (MCP-004). */
export function mountMcp(app: App, parts: McpParts): void {
  const operations = operationTools(parts)
  for (const [url, box] of [
    ['/mcp', operations],
    ['/mcp/search', searchServerTools(operations)],
  ] as const) {
    app.route<Texts>({
      method: ['GET', 'POST', 'DELETE'],
      url,
      handler: (request, reply) => answer(request, reply, box, parts),
    })
  }
}

async function answer(
  request: Request,
  reply: Reply<Texts>,
  box: ToolBox,
  parts: McpParts,
): Promise<Reply<Texts>> {
  const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => parts.ids.orderedUuid())
  const address = normalAddress(request.raw.socket.remoteAddress)
  let place: Place | undefined
  try {
    place = parts.admission.enter(address)
    // Before anything is listed (MCP-003).
    await parts.access.identify('peer', address)
    if (isCrossSite(request.headers, request.host)) throw fail('http.403')
    if (request.method !== 'POST') throw onlyPost(reply)
    const caller = { address, client: clientText(request.headers[LITERALS.clientHeader]) }
    const read = (): Promise<Body> => readBody(request.raw, request.headers['content-type'], parts.clock)
    const body = await bodyInPlace(place, read)
    const served = { body, caller: { ...caller, nextRequestId: idsFrom(requestId, parts) } }
    const response = await serve(request, box, served, parts)
    reply.code(response.status).header(LITERALS.requestIdHeader, requestId)
    for (const [name, value] of response.headers) reply.header(name, value)
    return await reply.send(await response.text())
  } catch (error) {
    return await sendAnswer(reply, requestId, failure(requestId, asCoded(error)))
  } finally {
    place?.leave()
  }
}

/** No session and no stream of the server's own exist that could be read or ended. */
function onlyPost(reply: Reply<Texts>): CodedError {
  reply.header('allow', 'POST')
  return fail('http.405', { details: { allowed: ['POST'] } })
}

const idsFrom = (first: string, { ids }: McpParts): (() => string) => {
  let next: string | undefined = first
  return () => {
    const id = next ?? ids.uuid()
    next = undefined
    return id
  }
}

/** One stateless server per request: nothing is kept between calls, so any gateway can answer any of them. */
async function serve(
  request: Request,
  box: ToolBox,
  { body, caller }: { readonly body: Body; readonly caller: McpCaller },
  { version }: McpParts,
): Promise<Response> {
  if (body.error) return unreadable(body.error)
  // oxlint-disable-next-line typescript/no-deprecated -- The catalogue is one prepared list; the newer class would register each tool anew for every request.
  const server = new Server(
    { name: 'fleet', title: 'Fleet gateway', version },
    { capabilities: { tools: {} } },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: box.tools.map((tool) => ({ ...tool })) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    box.call(params.name, params.arguments ?? {}, caller),
  )
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const headers = Object.entries(request.headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[0].startsWith(':'),
    )
    const standard = new Request(
      new URL(request.url.startsWith('/mcp/search') ? '/mcp/search' : '/mcp', ORIGIN),
      { method: request.method, headers },
    )
    // Every answer is JSON, so a client that takes JSON need not take event streams too.
    if (/application\/json|\*\/\*/.test(request.headers.accept ?? '*/*'))
      standard.headers.set('accept', 'application/json, text/event-stream')
    return await transport.handleRequest(standard, { parsedBody: body.members })
  } finally {
    await server.close()
  }
}

/** JSON-RPC 2.0: what is no JSON has no id to answer under. */
function unreadable(error: CodedError): Response {
  const { code, message, details } = errorBody('', error)
  const data = { code, ...(details === undefined ? {} : { details }) }
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message, data } },
    { status: error.status === 422 ? 400 : error.status },
  )
}
