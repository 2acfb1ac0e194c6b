import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, errorRegistry, type Operation } from '@fleet/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openApi } from './document.ts'

interface Document {
  openapi: string
  info: { version: string }
  servers: ReadonlyArray<{ url: string }>
  tags: ReadonlyArray<{ name: string; description: string }>
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, unknown> }
}
interface BodySchema {
  required?: readonly string[]
  properties: Record<string, unknown>
  additionalProperties: boolean
}
interface OperationObject {
  operationId: string
  tags: readonly string[]
  parameters: ReadonlyArray<{ name?: string; in?: string; required?: boolean }>
  requestBody?: { required: boolean; content: { 'application/json': { schema: BodySchema } } }
  responses: Record<string, { description: string; 'x-fleet-codes'?: readonly string[] }>
}

// The document is plain JSON by design; a test reads it by the shape that OpenAPI fixes.
const document = openApi(catalogue, errorRegistry, {
  serverUrl: 'https://gateway.fleet',
}) as unknown as Document
const at = (path: string, method: string): OperationObject => {
  const found = document.paths[path]?.[method]
  assert.ok(found, `${method} ${path}`)
  return found
}

test('the records of events have the names of the specification [EV-009]', () => {
  const names = Object.keys(document.components.schemas).filter((name) => name.endsWith('Data'))
  for (const record of [
    'Node',
    'Project',
    'Instance',
    'Process',
    'Schedule',
    'DatabaseConnection',
    'FirewallRule',
    'Route',
    'DeploymentStep',
    'InstanceDeployment',
  ])
    assert.ok(names.includes(`${record}Data`), record)
})

test('the description is valid OpenAPI 3.1 of version v1 [API-024]', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(openApi(catalogue, errorRegistry)))
  assert.ok(valid, JSON.stringify(errors))
  assert.match(document.openapi, /^3\.1\./)
  assert.equal(document.info.version, 'v1')
})

test('every time says its format, and no pattern has an escape that RE2 and Rust do not read', () => {
  const times: string[] = []
  JSON.stringify(document, (key, value: unknown) => {
    if (/_at$|^at$/.test(key) && value !== null && typeof value === 'object' && !('in' in value)) {
      const text = JSON.stringify(value)
      if (!text.includes('"format":"date-time"')) times.push(`${key} ${text}`)
    }
    if (key === 'pattern') assert.doesNotMatch(String(value), /\\0/)
    return value
  })
  assert.deepEqual(times, [])
})

test('every operation stands at its method and full path under its own id [API-023]', () => {
  for (const operation of catalogue) {
    const found = at(`/api/v1${operation.path}`, operation.method.toLowerCase())
    assert.equal(found.operationId, operation.name.replaceAll(':', '_'))
    assert.deepEqual(found.tags, [operation.group])
  }
  assert.equal(Object.values(document.paths).flatMap((item) => Object.keys(item)).length, catalogue.length)
})

test('every reference leads to a component', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
  assert.ok(references.length > 0)
  const components: Record<string, Record<string, unknown> | undefined> = document.components
  for (const [text, kind, name] of references) assert.ok(components[kind ?? '']?.[name ?? ''], text)
})

test('every group in use is a tag that says what it holds [API-005]', () => {
  assert.deepEqual(
    new Set(document.tags.map((tag) => tag.name)),
    new Set(catalogue.map((operation) => operation.group)),
  )
  for (const tag of document.tags) assert.ok(tag.description.length > 20)
  assert.match(
    document.tags.find((tag) => tag.name === 'Activities')?.description ?? '',
    /log of authorized commands/,
  )
})

test('a creation answers 201 and its exact repeat 200; a report 204, and anything else 200 alone [GW-021, GW-022]', () => {
  for (const operation of catalogue) {
    const { responses } = at(`/api/v1${operation.path}`, operation.method.toLowerCase())
    const succeeded = Object.keys(responses).filter((status) => status.startsWith('2'))
    assert.deepEqual(succeeded, expectedOf(operation), operation.name)
    // Lines have the status 200 whatever their outcome is (decision 0059).
    const lines = Object.keys(responses).filter(
      (status) => 'application/x-ndjson' in contentOf(responses, status),
    )
    const isLines = operation.watchable || operation.kind === 'stream'
    assert.deepEqual(lines, isLines ? ['200'] : [], operation.name)
    const isAlone = operation.creates === 'always' && operation.watchable
    if (isAlone) assert.deepEqual(Object.keys(contentOf(responses, '200')), ['application/x-ndjson'])
  }
})

const contentOf = (responses: object, status: string): object =>
  new Map<string, { content?: object }>(Object.entries(responses)).get(status)?.content ?? {}

function expectedOf({ kind, creates, watchable }: Operation): readonly string[] {
  if (kind === 'empty' || kind === 'page') return ['204']
  if (creates === 'always') return watchable ? ['200', '201'] : ['201']
  return creates ? ['200', '201'] : ['200']
}

test('a body takes its own members and no other [GW-013, API-020]', () => {
  const { requestBody, parameters } = at('/api/v1/instances/{instance}/environment/{key}', 'put')
  assert.equal(requestBody?.required, true)
  const schema = requestBody?.content['application/json'].schema
  assert.deepEqual(schema?.required, ['value'])
  assert.deepEqual(Object.keys(schema?.properties ?? {}), ['value'])
  assert.equal(schema?.additionalProperties, false)
  assert.deepEqual(
    parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
    ['instance', 'key'],
  )
})

test('a form is taken with the same members and answered without the envelope', () => {
  const { requestBody, responses } = at('/api/v1/broadcasting/auth', 'post')
  const content: Record<string, unknown> = requestBody?.content ?? {}
  assert.deepEqual(content['application/x-www-form-urlencoded'], content['application/json'])
  assert.match(
    JSON.stringify(responses['200']),
    /"oneOf":\[\{"type":"object","properties":\{"data".*"properties":\{"auth"/,
  )
  const forms = catalogue.filter(({ takesForm }) => takesForm)
  for (const { kind, input } of forms) {
    assert.equal(kind, 'json')
    for (const member of Object.values(input.shape)) assert.equal(member._zod.def.type, 'string')
  }
})

test('an action without members takes an empty body and refuses any member [GW-018]', () => {
  const { requestBody } = at('/api/v1/instances/{instance}/setup', 'post')
  assert.deepEqual(requestBody, {
    required: false,
    content: {
      'application/json': { schema: { type: 'object', properties: {}, additionalProperties: false } },
    },
  })
})

test('a flag of a removal may stand in the query or in the body [NODE-033]', () => {
  const { requestBody, parameters } = at('/api/v1/instances/{instance}', 'delete')
  assert.equal(parameters.find((parameter) => parameter.name === 'force')?.required, false)
  assert.equal(requestBody?.required, false)
})

test('each status names the codes that it can have', () => {
  const { responses } = at('/api/v1/nodes/{node}', 'get')
  assert.deepEqual(responses['403']?.['x-fleet-codes'], ['peer.identity_unknown', 'node_access.required'])
  assert.deepEqual(responses['404']?.['x-fleet-codes'], ['node.not_found'])
  assert.match(responses['404']?.description ?? '', /`node\.not_found`: No Node has this id\./)
})

test('work that can be watched answers lines too: each step, and last the result or the error', async () => {
  const [sample] = catalogue.filter(({ kind, creates }) => kind === 'json' && !creates)
  assert.ok(sample)
  const watched = openApi([{ ...sample, watchable: true }], errorRegistry)
  const { valid, errors } = await new Validator().validate(structuredClone(watched))
  assert.ok(valid, JSON.stringify(errors))
  const text = JSON.stringify(watched)
  const [, lines = ''] = /"application\/x-ndjson":(\{"schema":\{"oneOf":\[.*?\]\}\})/.exec(text) ?? []
  assert.deepEqual(
    [...lines.matchAll(/"const":"(\w+)"/g)].map(([, type]) => type),
    ['result', 'error'],
  )
  assert.match(lines, /"#\/components\/schemas\/WatchedStep"/)
  assert.ok(text.includes('"x-fleet-watchable":true'))
})

test('what may destroy something is marked so, and only reads and creations are said to destroy nothing', () => {
  const markOf = (path: string, method: string): unknown =>
    (at(path, method) as unknown as Record<string, unknown>)['x-fleet-destructive'] // A mark beside the shape of OpenAPI.
  assert.equal(markOf('/api/v1/instances/{instance}', 'delete'), true)
  assert.equal(markOf('/api/v1/instances', 'post'), false)
  assert.equal(markOf('/api/v1/doctor', 'post'), false)
  assert.equal(markOf('/api/v1/database-connections/{slug}/query', 'post'), undefined)
})

interface Streamed {
  readonly content: Readonly<Record<string, { readonly schema: { readonly oneOf: readonly unknown[] } }>>
}
interface Secured {
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly type: string; readonly scheme: string }>>
  }
  readonly security: readonly unknown[]
}

test('the lines of a deployment may end with an error', () => {
  for (const path of ['deploy', 'rollback']) {
    const answer = at(`/api/v1/instances/{instance}/${path}`, 'post').responses['200']
    const { content } = answer as unknown as Streamed // as: the content of an answer, which other tests do not read.
    const [lines, error, ...more] = content['application/x-ndjson']?.schema.oneOf ?? []
    assert.ok(lines)
    assert.deepEqual(more, [])
    assert.deepEqual(error, {
      type: 'object',
      properties: { type: { const: 'error' }, error: { $ref: '#/components/schemas/ErrorBody' } },
      required: ['type', 'error'],
      additionalProperties: false,
    })
  }
})

test('everything that is referred to is a component, after which generators name its type', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => String(to))
  assert.ok(references.length > 100)
  for (const to of references) assert.match(to, /^#\/components\/(?:schemas|headers|parameters)\/\w+$/)
})

test('agents alone send a secret, and every client may name itself and its version', () => {
  const { components, security } = openApi(catalogue, errorRegistry) as unknown as Secured // as: parts that no other test reads.
  assert.deepEqual(security, [])
  assert.deepEqual([components.securitySchemes['agentSecret']?.scheme], ['bearer'])
  for (const { name, method, path, access } of catalogue) {
    const described = at(`/api/v1${path}`, method.toLowerCase()) as OperationObject & { security?: unknown } // as: few have it.
    const expected = access === 'agent' ? [{ agentSecret: [] }] : undefined
    assert.deepEqual(described.security, expected, name)
    const shared = described.parameters.flatMap((parameter) => ('$ref' in parameter ? [parameter.$ref] : []))
    assert.deepEqual(
      shared,
      ['RequestId', 'Client', 'ClientVersion'].map((header) => `#/components/parameters/${header}`),
    )
  }
})
