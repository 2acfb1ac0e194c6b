import { isReadOnly, mayDestroy, type Operation } from '@fleet/contract'
import { accessTexts } from './groups.ts'
import { inputSchema } from './json-schema.ts'

/** A tool as MCP lists it. */
export interface McpTool {
  /** The operation's name with hyphens for colons (MCP-005). */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: unknown }
  /** A change without `destructiveHint` may destroy something: so MCP takes an absent mark. */
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint?: boolean }
}

/** One tool for each operation that may be a tool (MCP-014), in the order given. */
export const mcpTools = (operations: readonly Operation[]): McpTool[] =>
  operations
    .filter((operation) => operation.tool !== false)
    .map((operation) => ({
      name: mcpName(operation),
      title: operation.summary,
      description: describe(operation),
      inputSchema: toolInput(operation),
      annotations: annotationsOf(operation),
    }))

/** As over HTTP, but for the member that says what a closed connection does: over MCP it does nothing (decision 0128). */
function toolInput(operation: Operation): McpTool['inputSchema'] {
  const schema = inputSchema(operation)
  const { endsWithClient: ending } = operation
  if (typeof ending !== 'object') return { ...schema, type: 'object' }
  const member = schema.properties?.[ending.unless]
  const without = { ...(typeof member === 'object' ? member : {}), description: RUNS_TO_ITS_END }
  return { ...schema, type: 'object', properties: { ...schema.properties, [ending.unless]: without } }
}

const RUNS_TO_ITS_END = 'Without effect here: the work runs to its end, whatever becomes of the connection.'

/** Clients carry out without a question what only adds, so nothing else is marked so (MCP-007). */
function annotationsOf(operation: Operation): McpTool['annotations'] {
  const destructiveHint = mayDestroy(operation)
  return {
    readOnlyHint: isReadOnly(operation),
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
  }
}

export const mcpName = (operation: Operation): string => operation.name.replaceAll(':', '-')

const describe = ({ summary, description, access, kind }: Operation): string =>
  [
    `${summary}.`,
    description,
    accessTexts[access],
    kind === 'stream'
      ? 'Returns after the work has finished, with `events`; the last one is the result.'
      : undefined,
  ]
    .filter((sentence) => sentence !== undefined)
    .join(' ')
