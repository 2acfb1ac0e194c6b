import { fail, LITERALS, memberLocation, type Operation, pathParams } from '@fleet/contract'
import type { Access } from '@fleet/fleet'
import type { Clock, Ids } from '@fleet/kernel'
import { mcpTools, type McpTool } from '@fleet/surfaces'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  type CallToolResult,
  CallToolRequestSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { normalAddress } from './address.ts'
import type { Admission } from './admission.ts'
import { asCoded, failure } from './answer.ts'
import { parseBody, readBody } from './body.ts'
import type { Dispatch, Incoming } from './dispatch.ts'
import { searchServerTools } from './mcp-search.ts'
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

/** A set of tools and how one is called: `/mcp` offers the operations, `/mcp/search` two tools over them. */
export interface ToolBox {
  readonly tools: readonly McpTool[]
  call(name: string, input: Readonly<Record<string, unknown>>, caller: McpCaller): Promise<CallToolResult>
}

export interface McpCaller {
  readonly address: string
  readonly client: string | undefined
}

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
  const requestId = requestIdOf(request.headers[LITERALS.requestIdHeader], () => parts.ids.uuid())
  const address = normalAddress(request.raw.socket.remoteAddress)
  let leave: (() => void) | undefined
  try {
    leave = parts.admission.enter()
    // Before anything is listed (MCP-003).
    await parts.access.identify('peer', address)
    if (isCrossSite(request.headers, request.host)) throw fail('http.403')
    const response = await serve(
      request,
      box,
      { address, client: clientText(request.headers[LITERALS.clientHeader]) },
      parts,
    )
    reply.code(response.status)
    for (const [name, value] of response.headers) reply.header(name, value)
    return await reply.send(await response.text())
  } catch (error) {
    return await sendAnswer(reply, requestId, failure(requestId, asCoded(error)))
  } finally {
    leave?.()
  }
}

/** One stateless server per request: nothing is kept between calls, so any gateway can answer any of them. */
async function serve(
  request: Request,
  box: ToolBox,
  caller: McpCaller,
  { version, clock }: McpParts,
): Promise<Response> {
  const body =
    request.method === 'POST'
      ? await readBody(request.raw, request.headers['content-type'], clock)
      : undefined
  if (body?.error) throw body.error
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
    const standard = new Request(`https://${request.host}${request.url}`, { method: request.method, headers })
    return await transport.handleRequest(standard, body ? { parsedBody: body.members } : {})
  } finally {
    await server.close()
  }
}

function operationTools({ dispatch, ids, catalogue }: McpParts): ToolBox {
  const tools = mcpTools(catalogue)
  const byTool = new Map(
    catalogue
      .filter((operation) => operation.tool !== false)
      .map((operation) => [operation.name.replaceAll(':', '-'), operation]),
  )
  return {
    tools,
    async call(name, input, caller) {
      const operation = byTool.get(name)
      if (!operation) return refusal(404, { code: 'http.404', message: `No tool is called ${name}.` })
      const result = await dispatch(incomingOf(operation, input, caller, ids.uuid()))
      if (result.error) return refusal(result.status, (result.body as { error: unknown }).error) // A failed answer is an error envelope.
      if (!result.lines)
        return text(typeof result.body === 'string' ? result.body : JSON.stringify(result.body))
      return text(JSON.stringify({ events: await Array.fromAsync(result.lines) }))
    },
  }
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

/** The transport stays successful; the tool says what the API said (MCP-009). */
const refusal = (status: number, error: unknown): CallToolResult => ({
  ...text(JSON.stringify({ status, error })),
  isError: true,
})

/** Splits the one input object into path, query and body members (MCP-006). */
function incomingOf(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  caller: McpCaller,
  requestId: string,
): Incoming {
  const params = pathParams(operation.path)
  const path = Object.fromEntries(params.map((name) => [name, pathText(input[name])]))
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !params.includes(name)))
  const inQuery = memberLocation(operation.method) === 'query'
  return {
    operation,
    requestId,
    address: caller.address,
    path,
    query: inQuery
      ? Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, pathText(value)]))
      : {},
    body: async () => (inQuery ? { members: {} } : parseBody(Buffer.from(JSON.stringify(rest)))),
    client: caller.client ?? 'mcp',
  }
}

const pathText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
