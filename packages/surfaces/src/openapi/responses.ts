import { type ErrorCode, type Operation, watchedStep, watchMediaType } from '@fleet/contract'
import { codesByStatus, type ErrorRegistry } from '#/error-codes.ts'
import type { SchemaWriter } from '#/json-schema.ts'
import { requestIdHeader } from './components.ts'

/** Answers by status: the envelope or stream, one entry for each status that a code can have, and the rest. */
export function responses(
  operation: Operation,
  registry: ErrorRegistry,
  writer: SchemaWriter,
): Record<string, unknown> {
  const failures = [...codesByStatus(operation, registry)].map(([status, codes]): [string, unknown] => [
    String(status),
    refusal(codes, registry),
  ])
  return { ...successes(operation, writer), ...Object.fromEntries(failures), default: OTHER }
}

function successes(operation: Operation, writer: SchemaWriter): Record<string, unknown> {
  if (operation.kind === 'page') return pages()
  if (operation.kind === 'browser') return browserPages()
  if (operation.kind === 'empty')
    return { '204': { description: successText.empty, headers: requestIdHeader } }
  const content = successContent(operation, writer)
  // Lines begin before the outcome is known, so their status is 200 whatever it is (decision 0059).
  const lines = operation.watchable ? watchedContent(operation, writer) : {}
  const ok = (description: string, own: Record<string, unknown>): Record<string, unknown> => ({
    '200': { description, headers: requestIdHeader, content: own },
  })
  if (!operation.creates) return ok(successText[operation.kind], { ...content, ...lines })
  const created = { '201': { description: 'The record was created.', headers: requestIdHeader, content } }
  if (operation.creates !== 'always')
    return {
      ...ok('The same request succeeded before; this is the stored record.', { ...content, ...lines }),
      ...created,
    }
  return { ...(operation.watchable ? ok('The steps as they happen.', lines) : {}), ...created }
}

/** What a visitor sees while something is made ready for him; its codes answer as everywhere else. */
const pages = (): Record<string, unknown> => {
  const content = { 'text/html': { schema: { type: 'string' } } }
  return {
    '204': { description: 'Nothing is left to wait for.', headers: requestIdHeader },
    '401': {
      description: 'A page that loads itself again: it is not ready yet.',
      headers: requestIdHeader,
      content,
    },
    '503': { description: 'A page that says why it failed.', headers: requestIdHeader, content },
  }
}

/** For the browser of a person; its codes are pages too where the browser asks for them. */
const browserPages = (): Record<string, unknown> => ({
  '200': {
    description: successText.browser,
    headers: requestIdHeader,
    content: { 'text/html': { schema: { type: 'string' } } },
  },
  '303': { description: 'It goes on at `location`.', headers: requestIdHeader },
})

const successText = {
  json: 'The request succeeded.',
  stream: 'Lines of JSON as they happen; the last one is the result or the error.',
  raw: 'The request succeeded.',
  empty: 'The request succeeded; the response has no body.',
  page: 'Nothing is left to wait for.',
  browser: 'A page for a person.',
} as const satisfies Record<Operation['kind'], string>

function successContent(operation: Operation, writer: SchemaWriter): Record<string, unknown> {
  const data = writer.write(operation.output)
  if (operation.kind === 'stream')
    return { 'application/x-ndjson': { schema: { oneOf: [data, ERROR_LINE] } } }
  if (operation.kind === 'raw') return { [operation.mediaType ?? 'application/json']: { schema: data } }
  const schema = {
    type: 'object',
    properties: { data, meta: { $ref: '#/components/schemas/Meta' } },
    required: ['data', 'meta'],
    additionalProperties: false,
  }
  return { 'application/json': { schema: operation.takesForm ? { oneOf: [schema, data] } : schema } }
}

/** What a client gets that accepts lines: each step, and last the envelope or the error with its status. */
function watchedContent(operation: Operation, writer: SchemaWriter): Record<string, unknown> {
  const last = (type: string, member: Record<string, unknown>): Record<string, unknown> => ({
    type: 'object',
    properties: { type: { const: type }, status: { type: 'integer' }, ...member },
    required: ['type', 'status', ...Object.keys(member)],
    additionalProperties: false,
  })
  const data = writer.write(operation.output)
  const result = last('result', { data, meta: { $ref: '#/components/schemas/Meta' } })
  const error = last('error', { error: ERROR_BODY })
  return { [watchMediaType]: { schema: { oneOf: [writer.write(watchedStep), result, error] } } }
}

const refusal = (codes: readonly ErrorCode[], registry: ErrorRegistry): Record<string, unknown> => ({
  description: codes.map((code) => `\`${code}\`: ${registry[code]?.message ?? ''}`).join('\n\n'),
  headers: requestIdHeader,
  content: { 'application/json': { schema: ERROR } },
  'x-fleet-codes': codes,
})

const ERROR_BODY = { $ref: '#/components/schemas/ErrorBody' } as const
/** The last line where work fails that had begun to answer. */
const ERROR_LINE = {
  type: 'object',
  properties: { type: { const: 'error' }, error: ERROR_BODY },
  required: ['type', 'error'],
  additionalProperties: false,
} as const
const ERROR = { $ref: '#/components/schemas/Error' } as const

const OTHER = {
  description:
    'The HTTP layer refused the request before it reached the operation, or the gateway failed: a code of the family `http`.',
  headers: requestIdHeader,
  content: { 'application/json': { schema: ERROR } },
} as const
