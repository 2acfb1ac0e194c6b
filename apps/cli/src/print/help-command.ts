import type { CommandSpec } from '#/command-spec.ts'
import type { Commands } from '#/commands.ts'
import type { CliField } from '@fleet/surfaces'
import { clientCodes } from '#/gateway/codes.ts'
import { type Assignments, assignments, helpNotes, nameRules } from '#/hints.ts'
import type { Colors } from '#/terminal.ts'
import { example } from './examples.ts'
import { lines, type Row, rows, textWidth } from './help.ts'
import { wrap } from './text.ts'

/** `fleet help node:show`: usage, arguments, options with their limits, codes and an example. */
export function commandHelp(
  command: CommandSpec,
  commands: Commands,
  columns: number,
  colors: Colors,
): string {
  const pairs = assignments[command.name]
  const options = command.options.filter(({ member }) => member !== pairs?.member)
  const words = typedForms(command)
  const section = (title: string, entries: readonly Row[]): readonly string[] =>
    entries.length === 0 ? [] : ['', colors.bold(title), ...rows(entries, columns, colors)]
  return lines([
    ...wrap(`${command.summary}.`, textWidth(columns)),
    '',
    `${colors.bold('Usage')}  ${usageLine(command)}`,
    ...section('Arguments', [
      ...command.arguments.map((field): Row => [field.name.toUpperCase(), words(fieldText(field))]),
      ...assignmentRows(pairs),
    ]),
    ...section(
      'Options',
      options.flatMap(optionRows).map(([name, text]): Row => [name, words(text)]),
    ),
    ...[command.description, ...(helpNotes[command.name] ?? [])].flatMap((text) =>
      text === undefined ? [] : ['', ...wrap(words(text), textWidth(columns))],
    ),
    '',
    ...wrap(words(command.access), textWidth(columns)),
    '',
    colors.bold('Example'),
    `  ${example(command)}`,
    ...section(
      'Errors',
      command.errors.map((code): Row => [code, codeText(code, commands)]),
    ),
  ])
}

/** Texts of the catalogue name members of the request; a person types arguments and options. */
function typedForms({ arguments: positions, options }: CommandSpec): (text: string) => string {
  const forms = new Map([
    ...positions.map(({ member, name }) => [member, name.toUpperCase()] as const),
    ...options.map(({ member, name }) => [member, `--${name}`] as const),
  ])
  return (text) => text.replaceAll(/`([a-z]\w*)`/g, (whole, member: string) => forms.get(member) ?? whole)
}

const codeText = (code: string, { tree }: Commands): string => {
  const own: Readonly<Record<string, string | undefined>> = clientCodes
  return own[code] ?? tree.errors[code]?.message ?? ''
}

/** The whole form of the command in one line. */
export function usageLine(command: CommandSpec): string {
  const pairs = assignments[command.name]
  const words = command.arguments.map(({ name, required, secret, type }) => {
    const word = `${name.toUpperCase()}${type === 'strings' ? '…' : ''}`
    // A secret is asked for when it is left out.
    return required && !secret ? word : `[${word}]`
  })
  const required = command.options
    .filter((field) => field.required && !field.secret && field.member !== pairs?.member)
    .map((field) => `--${field.name} ${placeholder(field)}`)
  const others = command.options.some((field) => !field.required || field.secret) ? ['[option…]'] : []
  return ['fleet', command.name, ...words, ...(pairs ? ['KEY=VALUE…'] : []), ...required, ...others].join(' ')
}

const assignmentRows = (pairs: Assignments | undefined): readonly Row[] =>
  pairs ? [['KEY=VALUE', `Keys: ${pairs.keys.join(', ')}. KEY= clears a key.`]] : []

function optionRows(field: CliField): readonly Row[] {
  if (field.type === 'boolean') return [[`--[no-]${field.name}`, fieldText(field)]]
  const row: Row = [
    field.asked ? `--${field.name}` : `--${field.name} ${placeholder(field)}`,
    fieldText(field),
  ]
  return field.nullable ? [row, [`--no-${field.name}`, 'Set it to none.']] : [row]
}

const PLACEHOLDERS = {
  integer: 'N',
  number: 'N',
  boolean: '',
  string: 'TEXT',
  strings: 'TEXT',
  json: 'JSON',
} as const
const placeholder = ({ type, refers, choices, form }: CliField): string =>
  form ?? (refers === undefined ? (choices ? 'WORD' : PLACEHOLDERS[type]) : refers.toUpperCase())

const singleMembers = (name: string, types: readonly CliField['type'][]): string =>
  types.includes('strings')
    ? `Single members: --${name}.member=value, repeated for a list.`
    : `Single members: --${name}.member=value.`

function fieldText(field: CliField): string {
  const rule = field.refers === undefined ? undefined : nameRules[field.refers]
  const facts = [
    field.choices ? `One of ${field.choices.join(', ')}.` : undefined,
    field.limits === undefined
      ? undefined
      : `${field.limits.charAt(0).toUpperCase()}${field.limits.slice(1)}.`,
    rule && field.type !== 'string'
      ? `Its id${rule.also ? `, ${rule.also}` : ''} or ${rule.form}.`
      : undefined,
    rule && field.type === 'string' && field.name !== rule.form ? `Or ${rule.form}.` : undefined,
    field.refersBy === undefined ? undefined : 'Or its name.',
    field.type === 'strings' ? 'Can be repeated.' : undefined,
    field.members ? singleMembers(field.name, Object.values(field.members)) : undefined,
    field.asked ? 'Takes no value: asked for without echo, or read from standard input.' : undefined,
    field.secret && !field.asked
      ? 'If absent or -, read from standard input, or asked for without echo on a terminal.'
      : undefined,
    field.default === undefined ? undefined : `Default: ${JSON.stringify(field.default)}.`,
  ]
  // The API takes less than the command line resolves.
  const isName = rule !== undefined && field.type === 'integer' && field.place === 'path'
  return [isName ? undefined : field.description, ...facts].filter((text) => text !== undefined).join(' ')
}
