import type { CliCommand } from '@fleet/surfaces'
import type { Answer, CallOptions, Route, Sender } from '@fleet/sdk/core'
import { readAssignments } from './args/assignments.ts'
import { fillSecrets } from './args/secret.ts'
import { argumentName, readMembers, requireMembers } from './args/values.ts'
import type { Context, Invocation } from './context.ts'
import { ClientError, EXIT, type ExitCode, usage } from './exit.ts'
import { connect } from './gateway/connection.ts'
import { afterwards, assignments } from './hints.ts'
import { resolveNames } from './names.ts'
import { printAnswer, streamLine } from './print/answer.ts'
import { withProgress } from './print/progress.ts'
import { inline, isObject } from './print/value.ts'

type Members = Record<string, unknown>

/** Runs one operation of the catalogue: members, names, question, request, answer. */
export async function runOperation(
  context: Context,
  invocation: Invocation,
  operation: CliCommand,
): Promise<ExitCode> {
  const { globals } = invocation
  const members = typedMembers(invocation, operation)
  const typed = { ...members }
  const fields = [...operation.arguments, ...operation.options]
  await fillSecrets(members, fields, context.terminal)
  requireMembers(members, operation)
  refuseUnasked(context, invocation, operation)
  const connection = await connect(context.environment, globals)
  const sender = context.sender({ ...connection, timeoutSeconds: globals.timeoutSeconds })
  await resolveNames(members, fields, (name) => listRecords(context, sender, name))
  await confirm(context, invocation, operation, typed)
  const options: CallOptions = {
    requestId: globals.requestId ?? context.newRequestId(),
    signal: context.signal,
  }
  context.onRequest({
    id: options.requestId ?? '',
    changes: operation.method !== 'GET',
    target: connection.baseUrl,
  })
  if (operation.kind === 'stream')
    return printStream(context, invocation, sender.stream(routeOf(operation), members, options))
  const answer = await withProgress(operation.name, context.terminal, context.clock, () =>
    sender.send(routeOf(operation), members, options),
  )
  if (globals.json || operation.kind === 'raw') context.terminal.out(withLineEnd(answer.text))
  else await present(context, operation, typed, answer)
  return EXIT.ok
}

function typedMembers({ line, command }: Invocation, operation: CliCommand): Members {
  const pairs = assignments[operation.name]
  if (
    !pairs ||
    line.options.has(pairs.member) ||
    [...line.options.keys()].some((name) => name.startsWith(`${pairs.member}.`))
  )
    return readMembers(line, command)
  const count = command.arguments.length
  const members = readMembers({ ...line, positionals: line.positionals.slice(0, count) }, command)
  // A missing argument is said first, by the same words as everywhere.
  if (line.positionals.length < count) requireMembers(members, { ...command, options: [] })
  return { ...members, [pairs.member]: readAssignments(line.positionals.slice(count), pairs) }
}

/** What a request needs to know of a command. */
export const routeOf = ({ name, method, path, kind, arguments: args, options }: CliCommand): Route => ({
  name,
  method,
  path,
  kind,
  members: Object.fromEntries([...args, ...options].map(({ member, place }) => [member, place])),
})

async function listRecords(
  { commands, signal }: Context,
  sender: Sender,
  name: string,
): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> {
  const operation = commands.tree.commands[name]
  if (!operation) return []
  const { data } = await sender.send(routeOf(operation), {}, { signal })
  return Array.isArray(data) ? data.filter(isObject) : []
}

/** Without a terminal there is nobody to ask, so the answer must stand on the command line. */
function refuseUnasked({ terminal }: Context, { globals }: Invocation, operation: CliCommand): void {
  if (!operation.destructive || globals.yes || (terminal.inIsTerminal && terminal.errIsTerminal)) return
  throw usage(`${operation.name} destroys something and nobody can be asked.`, 'Say so with --yes.')
}

async function confirm(
  { terminal }: Context,
  { globals }: Invocation,
  operation: CliCommand,
  typed: Members,
): Promise<void> {
  if (!operation.destructive || globals.yes) return
  const what = operation.arguments
    .map((field) => `${argumentName(field).toLowerCase()} ${inline(typed[field.member])}`)
    .join(', ')
  const reply = await terminal.ask(`${terminal.errColors.bold(operation.summary)}: ${what}. Go on? [y/N] `)
  if (reply === undefined || !/^y(?:es)?$/i.test(reply.trim()))
    throw new ClientError('cancelled', 'Nothing was changed.', { exit: EXIT.usage, next: undefined })
}

async function present(
  { terminal }: Context,
  operation: CliCommand,
  typed: Members,
  { data, status }: Answer<unknown>,
): Promise<void> {
  await printAnswer(operation.name, data, terminal)
  const hint = afterwards[operation.name]
  if (!terminal.errIsTerminal) return
  if (operation.method === 'POST' && status === 200 && operation.creates)
    terminal.err(terminal.errColors.dim('It was there already; this is the stored record.\n'))
  if (hint)
    terminal.err(
      terminal.errColors.dim(
        `${hint.replace(/\{(\w+)\}/g, (_whole, member: string) => inline(typed[member]))}\n`,
      ),
    )
}

async function printStream(
  { terminal }: Context,
  { globals }: Invocation,
  lines: AsyncIterable<unknown>,
): Promise<ExitCode> {
  for await (const line of lines) terminal.out(`${globals.json ? JSON.stringify(line) : streamLine(line)}\n`)
  return EXIT.ok
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
