import { invalid } from '@fleet/contract'
import { searchTools } from '@fleet/surfaces'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { messagesOf } from './input.ts'
import { refusal, type ToolBox } from './mcp-tools.ts'

/** Calls of tools in one request (MCP-012). */
export const MAX_CALLS = 25
/** MCP-013: the whole output has 65,536 bytes; the frame around the result takes a part of them. */
const MAX_OUTPUT_BYTES = 65_536 - 256

const searchInput = z.strictObject({ query: z.string().max(200).optional() })
/** No name of a tool comes near it, and every call is named in the output. */
const MAX_NAME = 200

const executeInput = z.strictObject({
  calls: z
    .array(
      z.strictObject({
        name: z.string().max(MAX_NAME),
        arguments: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .min(1)
    .max(MAX_CALLS),
})

/** `search_tools` and `execute_tools` over the tools of another box, for clients that cannot hold them all. */
export function searchServerTools(box: ToolBox): ToolBox {
  const described = [
    {
      name: 'search_tools',
      title: 'Find Fleet tools',
      description:
        'Searches tools by words in their names and descriptions and returns them with their input schemas, the best first. `matched` is `some` where no tool has all words. An empty query lists all; those that do not fit are named in `more`, and a search for a name returns its schema.',
      schema: searchInput,
      readOnly: true,
    },
    {
      name: 'execute_tools',
      title: 'Run Fleet tools',
      description: `Runs up to ${MAX_CALLS} tool calls in order and stops at the first error.`,
      schema: executeInput,
      readOnly: false,
    },
  ]
  return {
    tools: described.map(({ name, title, description, schema, readOnly }) => ({
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(schema, { io: 'input' }) as ToolBox['tools'][number]['inputSchema'], // Both are object schemas.
      annotations: { readOnlyHint: readOnly, destructiveHint: !readOnly },
    })),
    async call(name, input, caller) {
      if (name === 'search_tools') return search(box, input)
      if (name !== 'execute_tools') return undefined
      const parsed = executeInput.safeParse(input)
      if (!parsed.success) return invalidInput(parsed.error, input)
      // As they came: a record of the schema library leaves `__proto__` out without a word.
      const { calls } = input as z.output<typeof executeInput> // It was parsed.
      return execute(calls, (tool, values) => box.call(tool, values, caller))
    },
  }
}

/** As the API refuses invalid members, with what is wrong at each of them (MCP-009). */
function invalidInput(error: z.ZodError, input: unknown): CallToolResult {
  const { code, status, message, details } = invalid(messagesOf(error, input))
  return refusal(status, { code, message, details })
}

function search(box: ToolBox, input: Readonly<Record<string, unknown>>): CallToolResult {
  const parsed = searchInput.safeParse(input)
  if (!parsed.success) return invalidInput(parsed.error, input)
  const { tools: found, matched } = searchTools(box.tools, parsed.data.query ?? '')
  return fitting(
    found.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    })),
    (tools, rest) => ({
      tools,
      matched,
      total: found.length,
      truncated: rest.length > 0,
      ...(rest.length > 0 ? { more: rest.map(({ name }) => name) } : {}),
    }),
  )
}

type Run = (name: string, values: Readonly<Record<string, unknown>>) => Promise<CallToolResult | undefined>

async function execute(calls: z.output<typeof executeInput>['calls'], run: Run): Promise<CallToolResult> {
  const results: CallResult[] = []
  for (const call of calls) {
    const result =
      (await run(call.name, call.arguments ?? {})) ??
      refusal(404, { code: 'http.404', message: `Unknown tool: ${call.name}.` })
    const [first] = result.content
    results.push({
      name: call.name,
      is_error: result.isError === true,
      text: first?.type === 'text' ? first.text : '',
    })
    if (result.isError) break
  }
  const failed = results.at(-1)?.is_error === true
  return { ...withinOutput(results, { ran: results.length, of: calls.length }), isError: failed }
}

interface CallResult {
  readonly name: string
  readonly is_error: boolean
  readonly text: string
}

/** Every call is named with its outcome; where the texts do not fit, the long ones are cut (MCP-013). */
function withinOutput(
  results: readonly CallResult[],
  counts: Readonly<Record<string, number>>,
): CallToolResult {
  const sized = (maxCharacters: number): CallToolResult => {
    const cut = results.map(({ text, ...rest }) => ({
      ...rest,
      text: text.slice(0, maxCharacters),
      ...(text.length > maxCharacters ? { cut: true } : {}),
    }))
    return asText({ results: cut, ...counts, truncated: cut.some((result) => result.cut === true) })
  }
  let [fits, tooMany] = [0, MAX_OUTPUT_BYTES]
  if (isWithinBound(sized(tooMany))) return sized(tooMany)
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (isWithinBound(sized(middle))) fits = middle
    else tooMany = middle
  }
  return sized(fits)
}

/** As many items as the output bound takes, and the rest of them. */
function fitting<T>(
  items: readonly T[],
  wrap: (kept: readonly T[], rest: readonly T[]) => unknown,
): CallToolResult {
  for (let count = items.length; count > 0; count -= 1) {
    const result = asText(wrap(items.slice(0, count), items.slice(count)))
    if (isWithinBound(result)) return result
  }
  return asText(wrap([], items))
}

const asText = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
})

/** As it goes onto the wire, where the text is a JSON string once more. */
const isWithinBound = (result: CallToolResult): boolean =>
  Buffer.byteLength(JSON.stringify(result)) <= MAX_OUTPUT_BYTES
