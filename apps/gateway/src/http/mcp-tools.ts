import {
  invalid,
  memberLocation,
  memberSchema,
  type Operation,
  pathParams,
  unknownCode,
} from '@fleet/contract'
import { mcpTools, type McpTool } from '@fleet/surfaces'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { parseBody } from './body.ts'
import type { Dispatch, Incoming } from './dispatch.ts'
import { SPACE } from './probe.ts'

/** A set of tools and how one is called: `/mcp` offers the operations, `/mcp/search` two tools over them. */
export interface ToolBox {
  readonly tools: readonly McpTool[]
  /** Undefined for a name that no tool has. */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    caller: McpCaller,
  ): Promise<CallToolResult | undefined>
}

export interface McpCaller {
  readonly address: string
  readonly client: string | undefined
  /** Identity of the next internal request: the client's own for the first, a fresh one from then on. */
  nextRequestId(): string
}

export interface ToolDeps {
  readonly dispatch: Dispatch
  readonly catalogue: readonly Operation[]
}

/** The operations as tools. Every call is an internal API request with the caller's address (MCP-004). */
export function operationTools({ dispatch, catalogue }: ToolDeps): ToolBox {
  // Described for whoever lists them first: the schemas of all inputs would delay every start.
  let described: readonly McpTool[] | undefined
  const byTool = new Map(
    catalogue
      .filter((operation) => operation.tool !== false)
      .map((operation) => [operation.name.replaceAll(':', '-'), operation]),
  )
  return {
    get tools() {
      return (described ??= mcpTools(catalogue))
    },
    async call(name, input, caller) {
      const operation = byTool.get(name)
      if (!operation) return undefined
      const missing = pathParams(operation.path).filter((param) => !Object.hasOwn(input, param))
      // Over HTTP there is no path without them; here it is a member of the input like any other.
      if (missing.length > 0) return missingMembers(missing)
      const result = await dispatch(incomingOf(operation, input, caller))
      if (result.error) {
        const { error } = result.body as { error: SaidError } // A failed answer is an error envelope.
        return refusal(result.status, withWay(error, operation, input, byTool))
      }
      if (!result.lines)
        return text(typeof result.body === 'string' ? result.body : JSON.stringify(result.body))
      const events = (await Array.fromAsync(result.lines)).filter((line) => line !== SPACE)
      // The stream had begun, so its last line alone says that the work failed.
      return { ...text(JSON.stringify({ events })), ...(isFailure(events.at(-1)) ? { isError: true } : {}) }
    },
  }
}

function isFailure(line: unknown): boolean {
  const { type, status } = (line ?? {}) as { readonly type?: unknown; readonly status?: unknown } // Read, whatever it is.
  return type === 'error' || (type === 'result' && status === 'failed')
}

interface SaidError {
  readonly code: string
  readonly message: string
}

/** An agent that names a record by its name instead of its id hears which tools find the id. */
function withWay<E extends SaidError>(
  error: E,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  tools: ReadonlyMap<string, Operation>,
): E {
  const named = pathParams(operation.path).find((param) => unknownCode(operation, param) === error.code)
  if (named === undefined) return error
  const given = input[named]
  if (typeof given !== 'string' || ID.test(given)) return error
  const family = error.code.replace(/\..*$/, '')
  const [by] = tools.get(`${family}-resolve`)?.positional ?? []
  // A slug or another name is what the record is called by: nobody has to find an id.
  if (by === undefined && memberSchema(operation, named)?.safeParse(given).success) return error
  const found = by === undefined ? [] : [`\`${family}-resolve\` finds one by its ${by}`]
  const listed = tools.has(`${family}-list`) ? [`\`${family}-list\` lists them with their ids`] : []
  const ways = [...found, ...listed].join(', and ')
  return ways === '' ? error : { ...error, message: `${error.message} ${ways}.` }
}

/** A number, or the UUID of a Schedule. */
const ID = /^(?:\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

/** The transport stays successful; the tool says what the API said (MCP-009). */
export const refusal = (status: number, error: unknown): CallToolResult => ({
  ...text(JSON.stringify({ status, error })),
  isError: true,
})

function missingMembers(names: readonly string[]): CallToolResult {
  const { code, status, message, details } = invalid(
    Object.fromEntries(names.map((name) => [name, ['is required']])),
  )
  return refusal(status, { code, message, details })
}

/** Splits the one input object into path, query and body members (MCP-006). */
function incomingOf(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  caller: McpCaller,
): Incoming {
  const params = pathParams(operation.path)
  const path = Object.fromEntries(params.map((name) => [name, pathText(input[name])]))
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !params.includes(name)))
  const inQuery = memberLocation(operation.method) === 'query'
  return {
    operation,
    requestId: caller.nextRequestId(),
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
