import { isDeepStrictEqual } from 'node:util'
import {
  decodeText,
  invalid,
  memberLocation,
  memberSchema,
  type Operation,
  pathParams,
  unknownCode,
} from '@fleet/contract'
import { asCoded } from '@fleet/fleet'
import type { CodedError } from '@fleet/kernel'
import { mcpTools, type McpTool } from '@fleet/surfaces'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type * as z from 'zod'
import { type Answer, errorBody } from './answer.ts'
import { parseBody } from './body.ts'
import type { Dispatch, Incoming } from './dispatch.ts'
import { isName, messagesOf } from './input.ts'
import { SPACE } from './probe.ts'
import { unstorable } from './storable.ts'

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
  readonly clientVersion?: string | undefined
  /** Aborts when the connection of the whole request closes before its answer. */
  readonly gone: AbortSignal
  /** Identity of the next internal request: the client's own for the first, a fresh one from then on. */
  nextRequestId(): string
  /**
   * Runs one call. Throws `http.draining` and `command.deadline_exceeded`: no call begins in a gateway that stops, and all calls of one
   * request have 600 s together (GW-033).
   */
  inTime<T>(call: () => Promise<T>): Promise<T>
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
      const requestId = caller.nextRequestId()
      try {
        return await caller.inTime(async () => {
          const answer = await dispatch(incomingOf(operation, requestId, input, caller))
          return resultOf(answer, (error) => withWay(error, operation, input, byTool))
        })
      } catch (error) {
        const coded = asCoded(error)
        return refusal(coded.status, errorBody(requestId, coded))
      }
    },
  }
}

async function resultOf(answer: Answer, explain: (error: SaidError) => SaidError): Promise<CallToolResult> {
  if (answer.error) {
    const { error } = answer.body as { error: SaidError } // A failed answer is an error envelope.
    return refusal(answer.status, explain(error))
  }
  if (!answer.lines) return text(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  const events = (await Array.fromAsync(answer.lines)).filter((line) => line !== SPACE)
  // The stream had begun, so its last line alone says that the work failed.
  return { ...text(JSON.stringify({ events })), ...(isFailure(events.at(-1)) ? { isError: true } : {}) }
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

/** Splits the one input object into path, query and body members (MCP-006). */
function incomingOf(
  operation: Operation,
  requestId: string,
  input: Readonly<Record<string, unknown>>,
  { address, client, clientVersion, gone }: McpCaller,
): Incoming {
  const params = pathParams(operation.path)
  const path = Object.fromEntries(params.map((name) => [name, textOf(input[name])]))
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !params.includes(name)))
  const inQuery = memberLocation(operation.method) === 'query'
  return {
    operation,
    requestId,
    address,
    path,
    query: inQuery
      ? Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, textOf(value)]))
      : {},
    body: async () =>
      inQuery ? { members: {} } : parseBody(Buffer.from(JSON.stringify(rest)), operation.judgesText),
    unusable: unusableMembers(operation, input, [...params, ...(inQuery ? Object.keys(rest) : [])]),
    // A deployment runs to its end (MCP-010).
    gone: operation.endsWithClient === true ? gone : undefined,
    client: client ?? 'mcp',
    clientVersion,
  }
}

/**
 * Why members that become text are none that the operation takes: over HTTP they are text already, while a null of a tool call would
 * come to name the record `null`. A text is judged as over HTTP.
 */
function unusableMembers(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
): CodedError | undefined {
  const wrong = Object.fromEntries(
    names.flatMap((name) => {
      const schema = memberSchema(operation, name)
      const unstored = isName(operation, name) ? unstorable(input[name])['body']?.[0] : undefined
      const why = unusable(schema, input[name]) ?? unstored
      return why === undefined ? [] : [[name, [why]]]
    }),
  )
  if (Object.keys(wrong).length === 0) return undefined
  const parsed = operation.input.safeParse(input)
  // Texts of the others may be fine, and are not judged before these are known.
  const others = parsed.success ? {} : messagesOf(parsed.error, input)
  const shown = Object.entries(others).filter(([name]) => !names.includes(name))
  return invalid({ ...Object.fromEntries(shown), ...wrong })
}

function unusable(schema: z.ZodType | undefined, value: unknown): string | undefined {
  if (value === undefined) return 'is required'
  if (typeof value === 'string') return undefined
  const error = schema?.safeParse(value).error
  if (!schema || !error || isDeepStrictEqual(decodeText(schema, textOf(value)), value)) return undefined
  return messagesOf(error, value)['body']?.[0] ?? 'has the wrong type or value'
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
