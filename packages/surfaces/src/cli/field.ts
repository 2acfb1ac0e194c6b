import type { JsonSchema } from '#/json-schema.ts'
import type { CliField, FieldType } from './types.ts'

/** What a field is, apart from its schema. */
export interface FieldFacts {
  readonly member: string
  readonly place: CliField['place']
  readonly required: boolean
  readonly refers: string | undefined
  readonly refersBy: string | undefined
}

/** An input member as an argument or option. */
export function cliField(
  { member, place, required, refers, refersBy }: FieldFacts,
  schema: JsonSchema,
): CliField {
  const { base: either, nullable } = withoutNull(schema)
  const base = refers === undefined ? either : idOf(either)
  const type = fieldType(base)
  const bounds = limits(base)
  return {
    member,
    name: optionName(member, refers),
    type,
    place,
    required: required && schema.default === undefined,
    nullable,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...membersOf(type, base),
    ...choicesOf(type, base),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(bounds === undefined ? {} : { limits: bounds }),
    ...(refers === undefined ? {} : { refers }),
    ...(refersBy === undefined ? {} : { refersBy }),
    secret: schema['writeOnly'] === true,
  }
}

/** `caller_node_id` that names a Node reads as `caller-node`. */
const optionName = (member: string, refers: string | undefined): string =>
  (refers === undefined ? member : member.replace(/_id$/, '')).replaceAll('_', '-')

/** A record that may also be named otherwise: the command line finds the id of whatever name it is given. */
const idOf = (schema: JsonSchema): JsonSchema => {
  const { anyOf: forms, ...rest } = schema
  const id = forms?.find(({ type }) => type === 'integer')
  return id ? { ...rest, ...id } : schema
}

const isNull = (schema: JsonSchema): boolean => schema.type === 'null'

function withoutNull(schema: JsonSchema): { readonly base: JsonSchema; readonly nullable: boolean } {
  const choices = schema.anyOf
  if (!choices) return { base: schema, nullable: false }
  const rest = choices.filter((choice) => !isNull(choice))
  const nullable = rest.length < choices.length
  const [only] = rest
  if (only && rest.length === 1) return { base: only, nullable }
  return { base: { ...schema, anyOf: rest }, nullable }
}

const simple: Readonly<Record<string, FieldType>> = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  string: 'string',
}

function fieldType(schema: JsonSchema): FieldType {
  // A flag that also takes the words true and false is a flag.
  if (schema.anyOf?.some((choice) => choice.type === 'boolean')) return 'boolean'
  // Texts of several forms, such as addresses of both families, are typed as texts.
  if (schema.anyOf?.every((choice) => choice.type === 'string')) return 'string'
  // What may be sent as a number too is typed as its text.
  if (schema.anyOf?.every(({ type }) => type === 'string' || type === 'integer')) return 'string'
  if (schema.type === 'array') return isTextItem(schema.items) ? 'strings' : 'json'
  return (typeof schema.type === 'string' ? simple[schema.type] : undefined) ?? 'json'
}

function membersOf(type: FieldType, { type: kind, properties = {} }: JsonSchema): Pick<CliField, 'members'> {
  if (type !== 'json' || kind === 'array') return {}
  const types = Object.entries(properties).map(([member, schema]): [string, FieldType] => [
    member,
    typeof schema === 'object' ? fieldType(withoutNull(schema).base) : 'json',
  ])
  return { members: Object.fromEntries(types) }
}

/** What may be given, for a text and for each text of a list. */
function choicesOf(type: FieldType, schema: JsonSchema): Pick<CliField, 'choices'> {
  const of = type === 'strings' ? schema.items : schema
  if (type !== 'string' && type !== 'strings') return {}
  const choices = typeof of === 'object' && !Array.isArray(of) ? of.enum : undefined
  return choices ? { choices: choices.map(String) } : {}
}

const isTextItem = (items: JsonSchema['items']): boolean =>
  typeof items === 'object' && !Array.isArray(items) && items.type === 'string'

function limits({
  type,
  minimum,
  maximum,
  minLength,
  maxLength,
  format,
  enum: choices,
}: JsonSchema): string | undefined {
  if (choices) return undefined
  if (type === 'integer' || type === 'number')
    return range(minimum === 1 && maximum === undefined ? undefined : minimum, maximum, '')
  if (type !== 'string') return undefined
  if (format === 'uuid') return 'a UUID'
  return range(minLength === 1 ? undefined : minLength, maxLength, ' characters')
}

function range(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
  if (to !== undefined) return `at most ${to}${unit}`
  return from === undefined ? undefined : `at least ${from}${unit}`
}
