import type { CliField } from '@fleet/surfaces'
import { GLOBAL_OPTIONS } from '#/args/globals.ts'
import type { CommandSpec } from '#/command-spec.ts'
import type { Commands } from '#/commands.ts'
import type { Context } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'

/** Answers the shell: one word a line, and nothing at all about what goes wrong. */
export async function printCandidates(
  words: readonly string[],
  commands: Commands,
  context: Context,
): Promise<ExitCode> {
  const { offered, refers, typed } = placeOf(words, commands)
  const names = refers === undefined ? [] : await recordNames(refers, words, context)
  context.terminal.out(
    [...offered, ...names]
      .filter((candidate) => candidate.startsWith(typed))
      .map((candidate) => `${candidate}\n`)
      .join(''),
  )
  return EXIT.ok
}

const recordNames = async (
  refers: string,
  words: readonly string[],
  context: Context,
): Promise<readonly string[]> =>
  (await import('./completion-names.ts')).recordNames(
    refers,
    { gateway: optionText('gateway', words), from: optionText('from', words) },
    context,
  )

/** What can be completed in place of the last argument. */
export interface Place {
  readonly offered: readonly string[]
  /** The family whose records may be named there. */
  readonly refers?: string | undefined
  /** What has been typed of it. */
  readonly typed: string
}

export function placeOf(words: readonly string[], commands: Commands): Place {
  const typed = words.at(-1) ?? ''
  const [first = ''] = words
  if (words.length <= 1) return { offered: [...commands.names, 'help'], typed }
  if (first === 'help') {
    const families = commands.families.map(({ name }) => name)
    return { offered: words.length > 2 ? [] : [...commands.names, ...families], typed }
  }
  const command = commands.find(first)
  if (!command) return { offered: [], typed }
  const option = valueOption(words.at(-2) ?? '', command)
  if (option) return { ...valuesOf(option), typed }
  if (typed.startsWith('-')) return { offered: optionNames(command), typed }
  const argument = command.arguments[argumentWords(words, command).length]
  if (!argument) return { offered: [], typed }
  const { refersBy } = argument
  const by = refersBy === undefined ? -1 : command.arguments.findIndex(({ member }) => member === refersBy)
  return { ...valuesOf(argument), ...(by < 0 ? {} : { refers: argumentWords(words, command)[by] }), typed }
}

const valuesOf = ({ choices, refers }: Pick<CliField, 'choices' | 'refers'>): Omit<Place, 'typed'> => ({
  offered: choices ?? [],
  refers,
})

/** The option that takes the next word as its value. */
function valueOption(word: string, command: CommandSpec): Pick<CliField, 'choices' | 'refers'> | undefined {
  if (!word.startsWith('--') || word.includes('=')) return undefined
  const name = word.slice(2)
  const own = [...command.arguments, ...command.options].find((field) => field.name === name)
  if (own) return own.type === 'boolean' || own.asked ? undefined : own
  const types: Readonly<Record<string, string | undefined>> = GLOBAL_OPTIONS
  return types[name] === 'string' ? {} : undefined
}

const optionNames = (command: CommandSpec): readonly string[] =>
  [...command.options.map(({ name }) => name), ...Object.keys(GLOBAL_OPTIONS)].map((name) => `--${name}`)

/** Arguments between the command and the last word. */
function argumentWords(words: readonly string[], command: CommandSpec): readonly string[] {
  const before = words.slice(0, -1)
  return before.filter(
    (word, index) =>
      index > 0 && !word.startsWith('-') && valueOption(before[index - 1] ?? '', command) === undefined,
  )
}

/** The value of an option of every command, as far as it has been typed. */
function optionText(name: 'gateway' | 'from', words: readonly string[]): string | undefined {
  const at = words.indexOf(`--${name}`)
  const joined = words.find((word) => word.startsWith(`--${name}=`))
  return joined?.slice(name.length + 3) ?? (at < 0 ? undefined : words[at + 1])
}
