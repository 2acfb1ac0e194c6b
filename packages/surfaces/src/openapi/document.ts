import type { Operation } from '@fleet/contract'
import type { ErrorRegistry } from '#/error-codes.ts'
import { groups, groupTexts } from '#/groups.ts'
import { httpRoute } from '#/http-table.ts'
import { SchemaWriter } from '#/json-schema.ts'
import { sharedHeaders, sharedParameters, sharedSchemas, sharedSecurity } from './components.ts'
import { operationObject } from './operation-object.ts'

export interface OpenApiOptions {
  /** Origin of the gateway; a relative server when absent. */
  readonly serverUrl?: string
}

/** The OpenAPI 3.1 description of the operations, version `v1` (API-024). */
export function openApi(
  operations: readonly Operation[],
  registry: ErrorRegistry,
  options: OpenApiOptions = {},
): Record<string, unknown> {
  const writer = new SchemaWriter()
  const paths = pathItems(operations, registry, writer)
  const used = new Set(operations.map((operation) => operation.group))
  return {
    openapi: '3.1.1',
    info: { title: 'Fleet gateway', version: 'v1', description: DESCRIPTION, license: LICENSE },
    servers: [{ url: options.serverUrl ?? '/' }],
    // Identity is the source address of the connection, for which OpenAPI has no scheme.
    security: [],
    tags: groups.filter((group) => used.has(group)).map((name) => ({ name, description: groupTexts[name] })),
    paths,
    components: {
      schemas: { ...sharedSchemas, ...writer.components() },
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes: sharedSecurity,
    },
  }
}

function pathItems(
  operations: readonly Operation[],
  registry: ErrorRegistry,
  writer: SchemaWriter,
): Record<string, unknown> {
  const items = new Map<string, Record<string, unknown>>()
  for (const operation of operations) {
    const { path, method } = httpRoute(operation)
    items.set(path, {
      ...items.get(path),
      [method.toLowerCase()]: operationObject(operation, registry, writer),
    })
  }
  return Object.fromEntries([...items].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const LICENSE = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' } as const

const DESCRIPTION = `Manages a fleet of Linux machines and records every request.

**Identity.** The caller is the active Node that owns the source address of the connection. There are no tokens, but for the secret with which the agent of a Node proves itself. An address that belongs to no active Node gets 403 \`peer.identity_unknown\`; a missing grant gets 403 \`node_access.required\`.

**Requests.** A body is one JSON object with unique members. Unknown or duplicate members, wrong types and a body that is not an object get 422 \`validation.failed\` before any change. Clients should not follow redirects.

**Responses.** A success is \`{data, meta: {request_id}}\`. An error is \`{error: {code, message, details?, request_id?}}\`; its code never changes, and its message is safe to show. The request id is in the header \`X-Fleet-Request-Id\` and in the Activity.

**Repeating.** A 409 means that nothing was changed, but for \`env.sync_unconfirmed\` and \`node.lock_lost\`, which end work that had begun. The same request resumes work that was interrupted, and an exact repeat of a creation returns 200 with the stored record, where the operation has a 200.`
