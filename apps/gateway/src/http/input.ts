import {
  decodeText,
  fail,
  invalid,
  memberLocation,
  memberSchema,
  type Operation,
  pathParams,
  unknownCode,
} from '@fleet/contract'
import type * as z from 'zod'

export interface RawInput {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly members: Readonly<Record<string, unknown>>
}

/** Text or value of each member by its place. Throws the parameter's 404 or 422 `validation.failed` (GW-019, GW-028). */
export function parseInput(operation: Operation, raw: RawInput): Record<string, unknown> {
  const params = pathParams(operation.path)
  const members = membersOf(operation, raw, params)
  const fromPath = params.map((name) => [name, pathValue(operation, name, raw.path[name] ?? '')] as const)
  // Assigned one by one, a member called `__proto__` would bring others in behind the schema's back.
  const given: Record<string, unknown> = Object.fromEntries([...members, ...fromPath])
  const parsed = operation.input.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalid(messagesOf(parsed.error, given))
}

/** Whether a part of the path names a record, or anything that has no rules of its own for its text. */
export const isName = (operation: Operation, name: string): boolean =>
  operation.judgesText !== true || unknownCode(operation, name) !== undefined

function pathValue(operation: Operation, name: string, text: string): unknown {
  const schema = memberSchema(operation, name)
  if (!schema) return text
  const value = decodeText(schema, text)
  const code = unknownCode(operation, name) ?? operation.unnamed?.[name]
  if (code && !schema.safeParse(value).success) throw fail(code)
  return value
}

function membersOf(operation: Operation, raw: RawInput, params: readonly string[]): Array<[string, unknown]> {
  const place = memberLocation(operation.method)
  const query = Object.entries(raw.query)
  if (place === 'body' && query.length > 0) {
    throw invalid(
      Object.fromEntries(query.map(([name]) => [name, ['belongs in the body, not in the query']])),
    )
  }
  const body = (place === 'query' ? [] : Object.entries(raw.members)).filter(
    // A removal may name its record once more (RTX-015).
    ([name, value]) => place !== 'either' || !params.includes(name) || !isSame(value, raw.path[name]),
  )
  const decoded = query.map(([name, text]): [string, unknown] => [name, queryValue(operation, name, text)])
  const refused = [...decoded, ...body].filter(([name]) => params.includes(name)).map(([name]) => name)
  if (refused.length > 0)
    throw invalid(Object.fromEntries(refused.map((name) => [name, ['belongs in the path']])))
  const twice = decoded.filter(([name]) => body.some(([other]) => other === name))
  if (twice.length > 0)
    throw invalid(Object.fromEntries(twice.map(([name]) => [name, ['is given more than once']])))
  return [...decoded, ...body]
}

const isSame = (value: unknown, text: string | undefined): boolean =>
  typeof value === 'number' ? String(value) === text : value === text

function queryValue(operation: Operation, name: string, text: string | readonly string[]): unknown {
  if (typeof text !== 'string') throw invalid({ [name]: ['is given more than once'] })
  // No text of ours has one, and PostgreSQL takes none.
  if (text.includes('\0')) throw invalid({ [name]: ['must not contain a NUL'] })
  const schema = memberSchema(operation, name)
  return schema ? decodeText(schema, text) : text
}

/** Member path to what is wrong with it; texts of the rules, never the value. */
export function messagesOf(error: z.ZodError, given: unknown): Record<string, string[]> {
  const messages = new Map<string, string[]>()
  const add = (path: string, message: string): void =>
    void messages.set(path, [...new Set([...(messages.get(path) ?? []), message])])
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...issue.path, key].join('.'), 'is not a member of this request')
    } else add(issue.path.join('.') || 'body', sentence(issue, given))
  }
  return Object.fromEntries(messages)
}

const sentence = (issue: z.core.$ZodIssue, given: unknown): string => {
  if (isMissing(given, issue.path)) return 'is required'
  if (issue.code === 'invalid_union') return 'has the wrong type or value'
  if (issue.code === 'invalid_type') return `must be of type ${TYPES[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_format' && FORMATS[issue.format]) return `must be ${FORMATS[issue.format]}`
  if (issue.code === 'too_small') return `must ${extent(issue.origin, 'at least', issue.minimum)}`
  if (issue.code === 'too_big') return `must ${extent(issue.origin, 'at most', issue.maximum)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  return issue.message.replace(/^Invalid input: /, '').replace(/, received .*$/, '')
}

/** Types and formats whose names in the schemas are not those of JSON or of people. Every number of a request is an integer. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  int: 'integer',
  number: 'integer',
  record: 'object',
}
const FORMATS: Readonly<Record<string, string | undefined>> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}

const UNITS: Readonly<Record<string, string | undefined>> = { string: 'character', array: 'item' }

function extent(origin: string, bound: 'at least' | 'at most', limit: number | bigint): string {
  const unit = UNITS[origin]
  if (unit === undefined) return `be ${bound} ${limit}`
  if (origin === 'string' && bound === 'at least' && Number(limit) === 1) return 'not be empty'
  return `have ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function isMissing(given: unknown, path: readonly PropertyKey[]): boolean {
  const [name, ...rest] = path
  if (name === undefined) return given === undefined
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, name)) return true
  return isMissing((given as Readonly<Record<PropertyKey, unknown>>)[name], rest) // Its own member, as just seen.
}
