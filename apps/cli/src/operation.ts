import type { CallOptions, Sender } from '@fleet/sdk/core'
import type { CliCommand } from '@fleet/surfaces'
import { readMembers, requireMembers } from './args/values.ts'
import type { Context, Invocation } from './context.ts'
import { EXIT, type ExitCode } from './exit.ts'
import type { NamedField } from './names.ts'
import { connect } from './gateway/connection.ts'
import { readerOf } from './read-more.ts'
import { isChange, type Members, routeOf } from './route.ts'

/** What a command does otherwise than its operation alone says. */
export interface Shape {
  /** A person is asked first. */
  readonly isDestructive?: (typed: Readonly<Members>) => boolean
  /**
   * How its words become members of the operation; `idsOf` answers the ids of records of a family that are named or numbered.
   * Throws usage errors.
   */
  readonly compose?: (
    typed: Readonly<Members>,
    idsOf: (family: string, names: readonly string[]) => Promise<readonly unknown[]>,
  ) => Promise<Members>
  /** How its answer is told. */
  readonly tell?: (data: unknown) => Told
}

/** An answer in a form of its own: how the command ends, which is known before it is printed. */
export interface Told {
  readonly exit: ExitCode
  readonly print: () => void
}

// Modules that most commands do without are loaded where they are needed: the start of a command is what people wait for.

/** Runs one operation of the catalogue: members, names, question, request, answer. */
export async function runOperation(
  context: Context,
  invocation: Invocation,
  operation: CliCommand,
  shape?: Shape,
): Promise<ExitCode> {
  const { globals } = invocation
  const members = await typedMembers(invocation, operation)
  const typed = { ...members }
  const fields = [...operation.arguments, ...operation.options]
  if (fields.some((field) => field.secret)) {
    const plain = ({ secret }: { readonly secret: boolean }): boolean => !secret
    // Nobody is asked for a secret, and none is read, for a command line that lacks something else.
    requireMembers(members, {
      arguments: operation.arguments.filter(plain),
      options: operation.options.filter(plain),
    })
    const [{ fillSecrets }, { neededSecrets }] = await Promise.all([
      import('./args/secret.ts'),
      import('./hints.ts'),
    ])
    const needed = neededSecrets[operation.name]?.(members)
    if (needed !== undefined && !(needed in members)) members[needed] = true
    await fillSecrets(members, fields, context.terminal)
  }
  requireMembers(members, operation)
  if (operation.name === 'route:update')
    (await import('./routes/update.ts')).requireChange(members, operation)
  const isDestructive = shape?.isDestructive?.(members) ?? operation.destructive
  const question = isDestructive && !globals.yes ? await import('./question.ts') : undefined
  question?.refuseUnasked(context.terminal, operation)
  const connection = await connect(context.environment, globals)
  const sender = context.sender({ ...connection, timeoutSeconds: globals.timeoutSeconds })
  const sent = shape?.compose
    ? await shape.compose(members, (family, names) => idsOf(context, invocation, sender, family, names))
    : members
  await nameIds(context, invocation, sender, sent)
  const readMore = readerOf(sender, context, { signal: context.signal })
  await question?.confirm(context.terminal, operation, { typed, members: sent }, readMore)
  const options = callOptions(context, invocation, isChange(operation, sent), connection.baseUrl)
  if (operation.kind === 'stream') {
    const { runDeployment } = await import('./deployments/run.ts')
    const target = connection.baseUrl
    return runDeployment({ context, invocation, operation, sender, members: sent, options, target })
  }
  const answer =
    operation.watchable && !globals.json
      ? await watched(context, operation, (watch) =>
          sender.send(routeOf(operation), sent, { ...options, watch }),
        )
      : await shown(context, invocation, sender.send(routeOf(operation), sent, options))
  const told = shape?.tell?.(answer.data)
  const exit = told?.exit ?? exitOf(operation, answer.data)
  context.onOutcome(exit)
  if (told) told.print()
  else if (globals.json || operation.kind === 'raw') context.terminal.out(withLineEnd(answer.text))
  else {
    const { present } = await import('./present.ts')
    await present({ ...context, operation, typed, read: readMore }, answer)
  }
  return exit
}

async function typedMembers({ line, command }: Invocation, operation: CliCommand): Promise<Members> {
  if (!operation.options.some(({ type }) => type === 'json')) return readMembers(line, command)
  const { readWithAssignments } = await import('./args/assignments.ts')
  return readWithAssignments(line, command)
}

async function nameIds(
  context: Context,
  invocation: Invocation,
  sender: Sender,
  members: Members,
): Promise<void> {
  const { command } = invocation
  await resolveAll(context, invocation, sender, members, [...command.arguments, ...command.options])
}

/** Ids of records that are named or numbered, in the same order. */
async function idsOf(
  context: Context,
  invocation: Invocation,
  sender: Sender,
  refers: string,
  names: readonly string[],
): Promise<readonly unknown[]> {
  const members: Members = Object.fromEntries(
    names.map((name, at) => [at, /^\d{1,15}$/.test(name) ? Number(name) : name]),
  )
  const fields = names.map((_name, at) => ({ member: String(at), refers, type: 'integer' }) as const)
  await resolveAll(context, invocation, sender, members, fields)
  return fields.map(({ member }) => members[member])
}

async function resolveAll(
  context: Context,
  invocation: Invocation,
  sender: Sender,
  members: Members,
  fields: readonly NamedField[],
): Promise<void> {
  const isNamed = ({ refers, refersBy, member }: NamedField): boolean =>
    (refers ?? refersBy) !== undefined && typeof members[member] === 'string'
  if (!fields.some(isNamed)) return
  const { resolveNames } = await import('./names.ts')
  const readMore = readerOf(sender, context, { signal: context.signal })
  await shown(context, invocation, resolveNames(members, fields, readMore, readMore))
}

function callOptions(
  context: Context,
  { globals }: Invocation,
  changes: boolean,
  target: string,
): CallOptions {
  const requestId = globals.requestId ?? context.newRequestId()
  context.onRequest({ id: requestId, changes, target })
  return { requestId, signal: context.signal }
}

/** What work brings, with progress shown from a moment on. */
async function shown<T>(
  { terminal, clock, signal }: Context,
  { command, globals }: Invocation,
  work: Promise<T>,
): Promise<T> {
  // Programs read standard error too: it must contain only the error as JSON.
  if (globals.json && !terminal.errIsTerminal) return work
  // It may fail while the module of the next line is loaded.
  work.catch(() => undefined)
  const { withProgress } = await import('./print/progress.ts')
  return withProgress(command.name, terminal, clock, signal, work)
}

/** Work whose steps are shown as they end. */
async function watched<T>(
  { terminal, clock, signal }: Context,
  { name }: CliCommand,
  start: (watch: NonNullable<CallOptions['watch']>) => Promise<T>,
): Promise<T> {
  const [{ withProgress }, { StepLines }] = await Promise.all([
    import('./print/progress.ts'),
    import('./print/steps.ts'),
  ])
  const lines = new StepLines(name, terminal)
  const began = clock.ticks()
  const answer = await withProgress(
    lines,
    terminal,
    clock,
    signal,
    start((step) => lines.report(step)),
  )
  lines.finish(clock.ticks() - began)
  return answer
}

const exitOf = ({ name, method }: CliCommand, data: unknown): ExitCode =>
  (method !== 'GET' && hasFailed(data)) ||
  (name === 'doctor:run' && !isHealthy(data)) ||
  (name === 'route:create' && isFailedRoute(data))
    ? EXIT.refused
    : EXIT.ok

/** Programs look at the exit status of a report (decision 0329). */
const isHealthy = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'healthy' in data && data.healthy === true

/** The identical request answers what an earlier one left, also a domain that nothing serves (RTE-049, decision 0373). */
const isFailedRoute = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'status' in data && data.status === 'failed'

/** The request was handled, and what it asked for did not succeed, as an update of dependencies says (DEP-066). */
const hasFailed = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'succeeded' in data && data.succeeded === false

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)
