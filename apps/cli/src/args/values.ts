import type { CliField } from '@fleet/surfaces'
import { usage } from '#/exit.ts'
import { didYouMean } from '#/suggest.ts'
import { scalar, withMember } from './dotted.ts'
import type { OptionValue } from './option-value.ts'
import { type ParsedLine, takesNoValue } from './parse.ts'

/** Members that were given, by member name, with the types of their fields; names of records are still texts. */
export function readMembers(
  line: Pick<ParsedLine, 'positionals' | 'options'>,
  places: Fields,
): Record<string, unknown> {
  const { positionals, options } = line
  const { arguments: args, options: named } = places
  const last = args.at(-1)
  const takesRest = last?.type === 'strings'
  if (!takesRest && positionals.length > args.length) throw tooMany(places, positionals[args.length] ?? '')
  const members: Record<string, unknown> = {}
  for (const [index, field] of args.entries()) {
    const text = positionals[index]
    if (text === undefined) continue
    // The last argument may be a list, such as a program with its arguments.
    members[field.member] =
      takesRest && field === last ? positionals.slice(index) : textValue(field, text, argumentName(field))
  }
  for (const field of [...args, ...named]) {
    const values = options.get(field.name)
    if (values && field.member in members)
      throw usage(`${argumentName(field)} was given twice, as an argument and as --${field.name}.`)
    if (values) members[field.member] = optionValue(field, values)
    const dotted = [...options].filter(([name]) => name.startsWith(`${field.name}.`))
    for (const [name, texts] of dotted) {
      const path = name.split('.').slice(1)
      members[field.member] = withMember(members[field.member], path, dottedValue(field, path, name, texts))
    }
  }
  return members
}

export interface Fields {
  readonly arguments: readonly CliField[]
  readonly options: readonly CliField[]
}

/** What is too much of a command with a secret is often that secret, and is not repeated (decision 0158). */
function tooMany({ arguments: args, options }: Fields, argument: string): Error {
  const asked = options.find((field) => field.asked)
  if (asked) return usage(`There is an argument too many. ${takesNoValue(`--${asked.name}`)}`)
  const last = args.at(-1)
  if (last?.secret)
    return usage(`There is an argument too many. Put a ${argumentName(last)} with blanks in quotes.`)
  return usage(`Unexpected argument: ${argument}`)
}

/** Throws the usage error of the first required member that is absent. */
export function requireMembers(
  members: Readonly<Record<string, unknown>>,
  { arguments: args, options }: Fields,
): void {
  const missing = args.find((field) => field.required && !(field.member in members))
  if (missing) throw usage(`Argument ${argumentName(missing)} is missing.`)
  const option = options.find((field) => field.required && !(field.member in members))
  if (option) throw usage(`Option --${option.name} is missing.`)
}

export const argumentName = ({ name }: CliField): string => name.toUpperCase()

function optionValue(field: CliField, values: readonly OptionValue[]): unknown {
  const label = `--${field.name}`
  const [value] = values
  if (field.type === 'strings' && !values.includes(null)) return values.map(String)
  if (values.length > 1) throw usage(`Option ${label} was given more than once.`)
  return typeof value === 'string' ? textValue(field, value, label) : value
}

/** A single member of an object, at a path such as `apps`, `path`, by its declared type. */
function dottedValue(
  field: CliField,
  path: readonly string[],
  name: string,
  texts: readonly OptionValue[],
): unknown {
  if (!field.members) throw usage(`--${field.name} takes a list, which has no single members.`)
  const [member = ''] = path
  const type = path.length === 1 && Object.hasOwn(field.members, member) ? field.members[member] : undefined
  if (type !== undefined) return optionValue({ ...memberField(field, type), name }, texts)
  const text = optionValue({ ...memberField(field, 'string'), name }, texts)
  return scalar(String(text))
}

const memberField = ({ member, place, secret }: CliField, type: CliField['type']): CliField => ({
  member,
  name: member,
  type,
  place,
  secret,
  required: false,
  nullable: false,
})

function textValue(field: CliField, text: string, label: string): unknown {
  // A name is turned into its id later, when the gateway can be asked.
  if ((field.refers ?? field.refersBy) !== undefined && field.type === 'integer')
    return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (field.type === 'integer' || field.type === 'number') return numberValue(field, text, label)
  if (field.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (field.type === 'json') return jsonValue(field, text, label)
  if (field.choices && !field.choices.includes(text)) {
    throw usage(`${label} must be one of ${field.choices.join(', ')}.`, didYouMean(text, field.choices))
  }
  return text
}

function numberValue(field: CliField, text: string, label: string): number {
  const value = Number(text)
  const fits =
    text.trim() !== '' && (field.type === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value))
  if (!fits)
    throw usage(
      `${label} takes a ${field.type === 'number' ? 'number' : 'whole number'}, not ${JSON.stringify(text)}.`,
    )
  return value
}

function jsonValue({ members }: CliField, text: string, label: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usage(
      members
        ? `${label} takes JSON, such as '{"name":"value"}', or single members as ${label}.name=value.`
        : `${label} takes a list in JSON.`,
    )
  }
}
