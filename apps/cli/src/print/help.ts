import type { CommandSpec } from '#/command-spec.ts'
import type { Commands } from '#/commands.ts'
import type { CliFamily } from '@fleet/surfaces'
import type { Colors } from '#/terminal.ts'
import { MIN_WIDTH } from './fold.ts'
import { wrap } from './text.ts'

/** `fleet help`: families with their commands. */
export function overview(commands: Commands, columns: number, colors: Colors): string {
  return lines([
    `${colors.bold('fleet')} manages the machines of a fleet through its gateway.`,
    '',
    `${colors.bold('Usage')}  fleet FAMILY:VERB [ARGUMENT…] [--option value…]`,
    '',
    ...commands.families.flatMap((family) => [...familyLines(family, commands, columns, colors), '']),
    colors.bold('Options for all commands'),
    ...rows(GLOBAL_ROWS, columns, colors),
    '',
    colors.bold('Exit status'),
    ...rows(EXIT_ROWS, columns, colors),
    '',
    `Refer to a Node, Project or Instance by its id, or as ${colors.cyan('node-1')}, ${colors.cyan('demo')}, ${colors.cyan('demo/default')}.`,
    `More: ${colors.cyan('fleet help FAMILY')}, ${colors.cyan('fleet help FAMILY:VERB')}, ${colors.cyan('fleet completion bash|zsh|fish')}.`,
  ])
}

/** `fleet help node`: one family. */
export const familyHelp = (family: CliFamily, commands: Commands, columns: number, colors: Colors): string =>
  lines([
    ...wrap(family.summary, textWidth(columns)),
    '',
    ...familyLines(family, commands, columns, colors),
    '',
    `More: ${colors.cyan(`fleet help ${family.commands[0] ?? family.name}`)}`,
  ])

const familyLines = (
  family: CliFamily,
  commands: Commands,
  columns: number,
  colors: Colors,
): readonly string[] => [
  colors.bold(family.name),
  ...rows(
    family.commands.map((name) => [name, commands.find(name)?.summary ?? '']),
    columns,
    colors,
  ),
]

export type Row = readonly [name: string, text: string]

export const GLOBAL_ROWS: readonly Row[] = [
  ['--json', 'Print the response of the gateway unchanged; errors go to standard error.'],
  ['-y, --yes', 'Do not ask for confirmation.'],
  [
    '--gateway NAME',
    'Gateway profile to use; `embedded` is the embedded fleet of this checkout. Also FLEET_GATEWAY.',
  ],
  [
    '--from ADDRESS',
    'Source address of requests, or an embedded Node such as node-1. Also FLEET_SOURCE_ADDRESS.',
  ],
  ['--request-id UUID', 'Id of the request.'],
  ['--timeout SECONDS', 'Stop waiting after this time. Default: 620.'],
  ['-h, --help', 'Show help. `fleet --version` shows the version.'],
]

const EXIT_ROWS: readonly Row[] = [
  ['0', 'The request succeeded.'],
  ['1', 'The gateway refused the request, or the request failed.'],
  ['2', 'Invalid command line; nothing was changed.'],
  ['3', 'The gateway did not answer, or is not the trusted one.'],
  ['130', 'Interrupted. A request that was already sent may continue.'],
  ['141', 'Nobody reads the output any more, and the outcome of the request is not known. It may continue.'],
]

/** Two columns, the second wrapped. */
export function rows(entries: readonly Row[], columns: number, colors: Colors): readonly string[] {
  const width = Math.min(35, Math.max(0, ...entries.map(([name]) => name.length)))
  if (textWidth(columns) - width - 4 < MIN_BESIDE) return stacked(entries, columns, colors)
  return entries.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrap(text, textWidth(columns) - width - 4)
    const head =
      name.length > width
        ? [`  ${colors.cyan(name)}`, `  ${' '.repeat(width)}  ${first}`]
        : [`  ${colors.cyan(name.padEnd(width))}  ${first}`.trimEnd()]
    return [...head, ...rest.map((line) => `  ${' '.repeat(width)}  ${line}`)]
  })
}

/** A column of texts that is narrower than this goes below the names. */
const MIN_BESIDE = 24

const stacked = (entries: readonly Row[], columns: number, colors: Colors): readonly string[] =>
  entries.flatMap(([name, text]) => [
    `  ${colors.cyan(name)}`,
    ...(text === '' ? [] : wrap(text, textWidth(columns) - 6).map((line) => `      ${line}`)),
  ])

/** Long lines are hard to read, however wide the terminal is. */
export const textWidth = (columns: number): number => Math.max(MIN_WIDTH, Math.min(columns, 100))

export const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
export type { CommandSpec }
