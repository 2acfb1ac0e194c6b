import { isDestructive, isReadOnly, type Operation } from '@fleet/contract'
import { accessTexts } from './groups.ts'
import { inputSchema } from './json-schema.ts'

/** A tool as MCP lists it. */
export interface McpTool {
  /** The operation's name with hyphens for colons (MCP-005). */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: unknown }
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
}

/** One tool for each operation that may be a tool (MCP-014), in the order given. */
export const mcpTools = (operations: readonly Operation[]): McpTool[] =>
  operations
    .filter((operation) => operation.tool !== false)
    .map((operation) => ({
      name: mcpName(operation),
      title: operation.summary,
      description: describe(operation),
      inputSchema: { ...inputSchema(operation), type: 'object' },
      // A read destroys nothing; MCP takes an absent mark as a possible destruction, so both are always set (MCP-007).
      annotations: { readOnlyHint: isReadOnly(operation), destructiveHint: isDestructive(operation) },
    }))

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
