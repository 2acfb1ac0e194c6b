import type { Operation } from '@fleet/contract'
import { cliTree } from '#/cli/tree.ts'
import type { CliCommand, CliField } from '#/cli/types.ts'
import type { ErrorRegistry } from '#/error-codes.ts'
import { groups, groupTexts } from '#/groups.ts'
import { mcpName } from '#/mcp.ts'
import { SchemaWriter } from '#/json-schema.ts'
import { anchor, page, table } from './markdown.ts'
import { shapeOf } from './shape.ts'

/** `operations.md`: an overview, then a section for each operation with members, answer and codes. */
export function operationsMarkdown(operations: readonly Operation[], registry: ErrorRegistry): string {
  const { commands } = cliTree(operations, registry)
  const used = groups.filter((group) => operations.some((operation) => operation.group === group))
  const sections = used.flatMap((group) => [
    `## ${group}`,
    groupTexts[group],
    ...operations
      .filter((operation) => operation.group === group)
      .flatMap((operation) => section(operation, commands[operation.name])),
  ])
  return page([
    '# Operations',
    'Each operation is a request, a command of `./fleet`, a method of the SDK and a tool of the MCP server. This page is generated from the catalogue: `npm run generate`.',
    table(
      ['Command', 'Request', 'What it does'],
      operations.map((operation) => [
        `[\`${operation.name}\`](#${anchor(operation.name)})`,
        `\`${operation.method} ${operation.path}\``,
        operation.summary,
      ]),
    ),
    ...sections,
  ])
}

function section(operation: Operation, command: CliCommand | undefined): ReadonlyArray<string | undefined> {
  if (!command) return []
  const members = [...command.arguments, ...command.options]
  return [
    `### ${operation.name}`,
    `${operation.summary}.${operation.description ? ` ${operation.description}` : ''}`,
    `\`${command.method} ${command.path}\`${operation.tool === false ? '' : ` · MCP tool \`${mcpName(operation)}\``}`,
    command.access,
    members.length === 0
      ? 'Takes no members.'
      : table(['Member', 'Place', 'Type', 'Rules'], members.map(memberRow)),
    `**Response** ${answerText(operation)}`,
    `**Errors** ${command.errors.map((code) => `[\`${code}\`](errors.md#${anchor(code.split('.')[0] ?? '')})`).join(', ')}`,
  ]
}

const memberRow = (field: CliField): readonly string[] => [
  `\`${field.member}\``,
  PLACES[field.place],
  typeText(field),
  rules(field),
]

const PLACES = { path: 'path', query: 'query', body: 'body', either: 'query or body' } as const

const typeText = (field: CliField): string => {
  const type = field.choices ? field.choices.map((choice) => `\`${choice}\``).join(', ') : TYPES[field.type]
  return field.nullable ? `${type} or null` : type
}

const TYPES = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  string: 'text',
  strings: 'list of texts',
  json: 'JSON',
} as const

const rules = (field: CliField): string =>
  [
    field.required ? 'required' : undefined,
    field.limits,
    field.default === undefined ? undefined : `default \`${JSON.stringify(field.default)}\``,
    field.description,
  ]
    .filter((rule) => rule !== undefined)
    .join('; ')

const answerText = (operation: Operation): string => {
  if (operation.kind === 'empty') return '204 without a body'
  if (operation.kind === 'page') return '204 without a body, or a page with 401 or 503'
  if (operation.kind === 'browser') return '200 with a page, or 303 to another one'
  const shape = shapeOf(new SchemaWriter().write(operation.output))
  if (operation.kind === 'stream') return `200 with lines of JSON, each ${shape}`
  if (operation.kind === 'raw') return `200 with \`${operation.mediaType ?? 'application/json'}\``
  return `${statusText(operation)} with \`data\`: ${shape}`
}

function statusText({ creates }: Operation): string {
  if (creates === 'always') return '201'
  return creates ? '201, or 200 for an exact repeat,' : '200'
}
