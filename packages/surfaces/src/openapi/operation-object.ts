import { mayDestroy, type Operation } from '@fleet/contract'
import type { ErrorRegistry } from '#/error-codes.ts'
import { accessTexts } from '#/groups.ts'
import { type HttpRoute, httpRoute, type MemberPlace } from '#/http-table.ts'
import { inputSchema, type JsonSchema, type SchemaWriter } from '#/json-schema.ts'
import { mcpName } from '#/mcp.ts'
import { headerParameters } from './components.ts'
import { responses } from './responses.ts'

/** The Operation Object of one operation. */
export function operationObject(
  operation: Operation,
  registry: ErrorRegistry,
  writer: SchemaWriter,
): Record<string, unknown> {
  const route = httpRoute(operation)
  const input = inputSchema(operation)
  const body = requestBody(operation, route, input)
  return {
    operationId: operation.name.replaceAll(':', '_'),
    tags: [operation.group],
    summary: operation.summary,
    description: [operation.description, accessTexts[operation.access]]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    parameters: [...parameters(route, input), ...headerParameters],
    ...(body ? { requestBody: body } : {}),
    responses: responses(operation, registry, writer),
    ...(operation.access === 'agent' ? { security: [{ agentSecret: [] }] } : {}),
    ...marks(operation, route),
  }
}

/** What OpenAPI has no word for: command, tool, access and effect. */
const marks = (operation: Operation, route: HttpRoute): Record<string, unknown> => ({
  'x-fleet-command': operation.name,
  ...(operation.tool === false ? {} : { 'x-fleet-tool': mcpName(operation) }),
  'x-fleet-access': operation.access,
  'x-fleet-kind': operation.kind,
  'x-fleet-read-only': route.readOnly,
  // Absent where only the input says it.
  ...(mayDestroy(operation) === undefined ? {} : { 'x-fleet-destructive': mayDestroy(operation) }),
  ...(operation.watchable ? { 'x-fleet-watchable': true } : {}),
  ...(operation.extension ? { 'x-fleet-extension': operation.extension } : {}),
  ...(operation.taskAction ? { 'x-fleet-task-action': true } : {}),
})

function parameters({ members }: HttpRoute, input: JsonSchema): ReadonlyArray<Record<string, unknown>> {
  return Object.entries(members).flatMap(([name, place]) => {
    if (place === 'body') return []
    const { description, ...schema } = memberOf(input, name)
    return [
      {
        name,
        in: place === 'path' ? 'path' : 'query',
        // A member that may be in the body instead is never required in the query.
        required: place === 'path' || (place === 'query' && isRequired(input, name)),
        ...(description === undefined ? {} : { description }),
        schema,
      },
    ]
  })
}

function requestBody(
  { takesForm }: Operation,
  { method, members }: HttpRoute,
  input: JsonSchema,
): Record<string, unknown> | undefined {
  if (method === 'GET') return undefined
  const names = Object.keys(members).filter((name) => inBody(members[name]))
  // A member that may be in the query instead is never required in the body.
  const required = names.filter((name) => members[name] === 'body' && isRequired(input, name))
  if (names.length === 0 && method === 'DELETE') return undefined
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, memberOf(input, name)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
  const content = {
    'application/json': { schema },
    ...(takesForm ? { 'application/x-www-form-urlencoded': { schema } } : {}),
  }
  return { required: required.length > 0, content }
}

const inBody = (place: MemberPlace | undefined): boolean => place === 'body' || place === 'either'
const isRequired = (input: JsonSchema, name: string): boolean => input.required?.includes(name) === true

const memberOf = (input: JsonSchema, name: string): JsonSchema => {
  const member = input.properties?.[name]
  return typeof member === 'object' ? member : {}
}
