import type { ParsedLine } from './args/parse.ts'
import { parseLine } from './args/parse.ts'
import { type CommandSpec, requireCommand } from './commands.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { isLocal } from './local/specs.ts'
import { runOperation } from './operation.ts'

/** What was understood of the words before something failed; the printing of the failure uses it. */
export interface Progressed {
  command?: string
  json?: boolean
  target?: string
}

/** Runs one command line and answers its exit status. Rejects with the error to print. */
export async function run(
  words: readonly string[],
  context: Context,
  progressed: Progressed,
): Promise<ExitCode> {
  progressed.json = words.includes('--json')
  const [first, ...rest] = words
  if (first === undefined || first === 'help' || first === '--help' || first === '-h')
    return help(first === undefined ? [] : rest, context)
  if (first === '--version' || first === 'version') return version(context)
  if (first === '__complete') return complete(rest, context)
  if (isFamily(first, context)) return help([first], context)
  const command = requireCommand(context.commands, first)
  progressed.command = command.name
  const line = parseLine(rest, [...command.arguments, ...command.options])
  progressed.json = line.globals.json
  if (line.globals.help) return help([command.name], context)
  return runCommand(command, line, context, progressed)
}

const isFamily = (word: string, { commands }: Context): boolean =>
  commands.families.some(({ name }) => name === word) && commands.find(word) === undefined

async function runCommand(
  command: CommandSpec,
  line: ParsedLine,
  context: Context,
  progressed: Progressed,
): Promise<ExitCode> {
  const invocation = { command, line, globals: line.globals }
  const noting: Context = {
    ...context,
    onRequest: (request) => {
      progressed.target = request.target
      context.onRequest(request)
    },
  }
  // Loaded only when needed: most command lines are operations.
  if (isLocal(command.name))
    return (await import('./local/index.ts')).runLocal(command.name, noting, invocation)
  const operation = context.commands.tree.commands[command.name]
  if (!operation) throw new Error(`command ${command.name} has no operation`)
  return runOperation(noting, invocation, operation)
}

async function help(words: readonly string[], context: Context): Promise<ExitCode> {
  const { printHelp } = await import('./local/help.ts')
  printHelp(words, context)
  return EXIT.ok
}

async function version({ terminal }: Context): Promise<ExitCode> {
  const { versionText } = await import('./local/version.ts')
  terminal.out(`${await versionText()}\n`)
  return EXIT.ok
}

async function complete(words: readonly string[], { terminal, commands }: Context): Promise<ExitCode> {
  const { candidates } = await import('./local/completion.ts')
  terminal.out(
    candidates(words, commands)
      .map((candidate) => `${candidate}\n`)
      .join(''),
  )
  return EXIT.ok
}
