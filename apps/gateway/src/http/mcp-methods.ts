import { asCoded } from '@fleet/fleet'
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { errorBody } from './answer.ts'
import { isObject } from './body.ts'
import { type Message, type RpcAnswer, RPC, rpcError } from './mcp-message.ts'
import type { McpCaller, ToolBox } from './mcp-tools.ts'

/** What a method works with. Nothing is kept between requests, so any gateway can answer any of them. */
export interface McpContext {
  readonly box: ToolBox
  readonly caller: McpCaller
  readonly version: string
}

/** A refusal of one request for its parameters. */
class InvalidParams extends Error {}

type Method = (params: unknown, context: McpContext) => Promise<object> | object

/** Every method of the server. */
const METHODS: Readonly<Record<string, Method>> = {
  initialize: (params, { version }) => {
    const { protocolVersion } = read(initializeParams, params)
    return {
      // A client that cannot speak the newest revision ends the connection itself.
      protocolVersion: isSupported(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION,
      capabilities: { tools: {} },
      serverInfo: { name: 'fleet', title: 'Fleet gateway', version },
    }
  },
  ping: (params) => {
    read(plainParams, params)
    return {}
  },
  'tools/list': (params, { box }) => {
    const { cursor } = read(listParams, params)
    // All tools are on one page, so no cursor was ever given out.
    if (cursor !== undefined)
      throw new InvalidParams('`params.cursor`: not issued by this server; all tools are on one page.')
    return { tools: box.tools }
  },
  'tools/call': async (params, { box, caller }) => {
    const { name, arguments: input = {} } = read(callParams, params)
    const result = await box.call(name, input, caller)
    if (!result) throw new InvalidParams(`Unknown tool: ${JSON.stringify(name.slice(0, 100))}.`)
    return result
  },
}

/** Whether a method is a request, which needs an id. */
export const isMethod = (name: string): boolean => Object.hasOwn(METHODS, name)

export const isSupported = (version: string): boolean => SUPPORTED_PROTOCOL_VERSIONS.includes(version)

/** Answers a message; undefined where JSON-RPC has no answer. */
export async function answerMessage(message: Message, context: McpContext): Promise<RpcAnswer | undefined> {
  if (message.kind === 'notice') return undefined
  const { id } = message
  if (message.kind === 'invalid') return rpcError(id, RPC.invalidRequest, message.why)
  const method = isMethod(message.method) ? METHODS[message.method] : undefined
  if (!method) return rpcError(id, RPC.methodNotFound, 'Unknown method.', { methods: Object.keys(METHODS) })
  try {
    return { jsonrpc: '2.0', id, result: await method(message.params, context) }
  } catch (error) {
    if (error instanceof InvalidParams) return rpcError(id, RPC.invalidParams, error.message)
    const { code, message: reason } = errorBody('', asCoded(error))
    return rpcError(id, RPC.internal, String(reason), { code })
  }
}

const meta = { _meta: z.looseObject({}).optional() }
const plainParams = z.looseObject(meta)
const listParams = z.looseObject({ ...meta, cursor: z.string().optional() })
const callParams = z.looseObject({
  ...meta,
  name: z.string(),
  // As they came: a record of the schema library leaves `__proto__` out without a word.
  arguments: z.custom<Readonly<Record<string, unknown>>>(isObject, 'expected record').optional(),
})
const initializeParams = z.looseObject({
  ...meta,
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
})

/** Throws `InvalidParams` with every member that is wrong. */
function read<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params === undefined ? {} : params)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => {
    const [expected = message, received] = message.replace('Invalid input: ', '').split(', received ')
    return `\`${['params', ...path].join('.')}\`: ${received === 'undefined' ? 'is required' : expected}`
  })
  throw new InvalidParams(`Invalid parameters: ${wrong.join('; ')}.`)
}
