import { commandFirst } from './args/globals.ts'
import { type ParsedLine, parseLine } from './args/parse.ts'
import type { CommandSpec } from './command-spec.ts'
import type { Context, Invocation } from './context.ts'
import { type ExitCode, usage } from './exit.ts'
import type { Sent } from './leaving.ts'
import { runOperation } from './operation.ts'
import { readerOf, type ReadMore } from './read-more.ts'

/** What was understood of the words before something failed; the printing of the failure uses it. */
export interface Progressed {
  spec?: CommandSpec
  line?: ParsedLine
  json?: boolean
  target?: string
  /** The change that was sent last. */
  change?: Sent
  /** Asks the gateway of the command for a list, so that the failure can name records. */
  readMore?: ReadMore
}

/** Runs one command line and answers its exit status. Rejects with the error to print. */
export async function run(
  words: readonly string[],
  context: Context,
  progressed: Progressed,
): Promise<ExitCode> {
  progressed.json = words.includes('--json')
  // Node puts this character for bytes that are no UTF-8: it would be stored in their place.
  if (words.some((word) => word.includes('\uFFFD'))) throw usage('An argument is not UTF-8 text.')
  const [first = 'help', ...rest] = commandFirst(words)
  // Words that are no operation, and the commands around some, are rarer: their modules are loaded when they come.
  const isOperation = Object.hasOwn(context.tree.commands, first) && !mayBeOwn(first)
  const other = isOperation ? undefined : await import('./local/index.ts')
  const done = other?.runWord(first, rest, context)
  if (done !== undefined) return done
  const command = other ? other.requireCommand(context.tree, first) : context.tree.commands[first]
  if (!command) throw new Error(`the index has no ${first}`)
  return runCommand(command, rest, context, progressed)
}

/** Names among which this client has commands of its own that go before the operations. */
const mayBeOwn = (name: string): boolean => name.startsWith('gateway:') || WRAPPED.has(name)

/** Operations that this client does more around than to send them. */
const WRAPPED: ReadonlySet<string> = new Set([
  'database:query',
  'deployment:show',
  'github:app:install',
  'instance:dependencies:scan',
  'instance:logs',
  'instance:open',
  'instance:rollback',
  'route:target:set',
])

async function runCommand(
  command: CommandSpec,
  words: readonly string[],
  context: Context,
  progressed: Progressed,
): Promise<ExitCode> {
  progressed.spec = command
  const line = parseLine(words, [...command.arguments, ...command.options])
  progressed.line = line
  progressed.json = line.globals.json
  const noting: Context = {
    ...context,
    onRequest: (request) => {
      progressed.target = request.target
      if (request.changes) progressed.change = request
      context.onRequest(request)
    },
    sender: (wish) => {
      // Names are looked up before the request that was asked for is sent.
      progressed.target = wish.baseUrl
      const sender = context.sender(wish)
      progressed.readMore = readerOf(sender, context, {
        signal: context.signal,
        timeoutSeconds: NAMES_SECONDS,
      })
      return sender
    },
  }
  const invocation: Invocation = { command, line, globals: line.globals }
  if (line.globals.help) return (await import('./local/help.ts')).printHelp([command.name], context)
  const operation = context.tree.commands[command.name]
  if (operation === command) return runOperation(noting, invocation, operation)
  return (await import('./local/index.ts')).runLocal(noting, invocation)
}

/** How long a person waits for the names in an error that is known already. */
const NAMES_SECONDS = 2
