import { parseArgs } from 'node:util'
import type { CliField } from '@fleet/surfaces'
import { usage } from '#/exit.ts'
import { didYouMean } from '#/suggest.ts'
import { GLOBAL_OPTIONS, type Globals, readGlobals } from './globals.ts'
import type { OptionValue } from './option-value.ts'

/** The arguments after the command. */
export interface ParsedLine {
  readonly globals: Globals
  readonly positionals: readonly string[]
  /** Texts of each option by its name; dotted ones such as `settings.apps.path` under their whole name. */
  readonly options: ReadonlyMap<string, readonly OptionValue[]>
}

/** Splits the words by the options of a command. Throws the usage error of an unknown option or a missing value. */
export function parseLine(words: readonly string[], fields: readonly CliField[]): ParsedLine {
  const types = optionTypes(words, fields)
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      [...types].map(([name, type]) => [
        name,
        { type: type === 'string' ? 'string' : 'boolean', ...SHORT[name] },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const positionals: string[] = []
  const options = new Map<string, OptionValue[]>()
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const [name, value] = optionValue(token, types)
    options.set(name, [...(options.get(name) ?? []), value])
  }
  return { globals: readGlobals(options, fields), positionals, options }
}

const SHORT: Readonly<Record<string, { readonly short: string }>> = {
  help: { short: 'h' },
  yes: { short: 'y' },
}

type OptionType = 'string' | 'boolean' | 'asked'

function optionTypes(words: readonly string[], fields: readonly CliField[]): ReadonlyMap<string, OptionType> {
  const types = new Map<string, OptionType>(Object.entries(GLOBAL_OPTIONS))
  for (const { name, type, nullable, asked } of fields) {
    types.set(name, asked ? 'asked' : type === 'boolean' ? 'boolean' : 'string')
    if (type === 'boolean' || nullable) types.set(`no-${name}`, 'boolean')
    if (type === 'json') for (const dotted of dottedNames(words, name)) types.set(dotted, 'string')
  }
  return types
}

export const takesNoValue = (option: string): string =>
  `Option ${option} takes no value: it is asked for without echo, or read from standard input.`

const dottedNames = (words: readonly string[], name: string): readonly string[] =>
  words.filter((word) => word.startsWith(`--${name}.`)).map((word) => word.slice(2).split('=', 1)[0] ?? '')

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
}

function optionValue(
  { name, rawName, value }: OptionToken,
  types: ReadonlyMap<string, OptionType>,
): readonly [string, OptionValue] {
  const type = types.get(name)
  if (type === undefined)
    throw usage(`Unknown option: ${rawName}.`, didYouMean(name, [...types.keys()], '--'))
  if (type === 'string') {
    if (value === undefined) throw usage(`Option ${rawName} needs a value.`)
    return [name, value]
  }
  if (type === 'asked') {
    if (value === undefined) return [name, true]
    throw usage(takesNoValue(rawName))
  }
  const positive = name.startsWith('no-') ? name.slice(3) : undefined
  if (positive !== undefined && types.has(positive))
    return [positive, types.get(positive) === 'boolean' ? false : null]
  if (value === undefined || value === 'true') return [name, true]
  if (value === 'false') return [name, false]
  throw usage(`Option ${rawName} accepts no value except true or false.`)
}
