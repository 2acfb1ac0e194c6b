import type { CliField } from '@fleet/surfaces'
import { usage } from '#/exit.ts'
import type { OptionValue } from './option-value.ts'

/** Options that every command takes. */
export const GLOBAL_OPTIONS = {
  json: 'boolean',
  yes: 'boolean',
  help: 'boolean',
  gateway: 'string',
  from: 'string',
  'request-id': 'string',
  timeout: 'string',
} as const satisfies Readonly<Record<string, 'string' | 'boolean'>>

/**
 * The arguments with the command first, if options for all commands come before it. Arguments without a command, such
 * as `--version`, do not change.
 */
export function commandFirst(words: readonly string[]): readonly string[] {
  let at = 0
  while (words[at]?.startsWith('-')) at += takesNextWord(words[at] ?? '') ? 2 : 1
  const command = words[at]
  return at === 0 || command === undefined ? words : [command, ...words.slice(0, at), ...words.slice(at + 1)]
}

const takesNextWord = (word: string): boolean => {
  const types: Readonly<Record<string, 'string' | 'boolean' | undefined>> = GLOBAL_OPTIONS
  return word.startsWith('--') && types[word.slice(2)] === 'string'
}

export interface Globals {
  readonly json: boolean
  readonly yes: boolean
  readonly help: boolean
  readonly gateway: string | undefined
  readonly from: string | undefined
  readonly requestId: string | undefined
  readonly timeoutSeconds: number | undefined
}

/** Reads the options of every command. One that the command has itself belongs to the command. */
export function readGlobals(
  options: ReadonlyMap<string, readonly OptionValue[]>,
  fields: readonly CliField[],
): Globals {
  const own = new Set(fields.map(({ name }) => name))
  const last = (name: keyof typeof GLOBAL_OPTIONS): OptionValue | undefined =>
    own.has(name) ? undefined : options.get(name)?.at(-1)
  const text = (name: keyof typeof GLOBAL_OPTIONS): string | undefined => {
    const value = last(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    json: last('json') === true,
    yes: last('yes') === true,
    help: last('help') === true,
    gateway: text('gateway'),
    from: text('from'),
    requestId: requestId(text('request-id')),
    timeoutSeconds: seconds(text('timeout')),
  }
}

function requestId(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return text
  throw usage('Option --request-id must be a UUID.')
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= 86_400) return value
  throw usage('Option --timeout must be a number of seconds, at most 86400.')
}
