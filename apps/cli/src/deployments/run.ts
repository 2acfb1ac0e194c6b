import type { DeploymentLine } from '@fleet/contract'
import type { CallOptions, Sender } from '@fleet/sdk/core'
import type { CliCommand } from '@fleet/surfaces'
import type { Context, Invocation } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'
import { typedWords } from '#/next/typed.ts'
import { type Members, routeOf } from '#/route.ts'
import { followDeployment, isLost } from './follow.ts'
import { DeploymentPrinter } from './printer.ts'

export interface DeploymentCommand {
  readonly context: Context
  readonly invocation: Invocation
  readonly operation: CliCommand
  readonly sender: Sender
  readonly members: Members
  readonly options: CallOptions
  /** Where the request goes. */
  readonly target: string
}

/**
 * A deployment or rollback, shown as it runs. It is asked to continue without this client, so that closing it does no harm and a
 * lost connection is followed through the record of the run (decision 0212); `--no-detach` ties it to the connection.
 */
export async function runDeployment(command: DeploymentCommand): Promise<ExitCode> {
  const { context, invocation, operation, sender, options } = command
  const leaves = command.members['detach'] === true
  const members = { detach: true, ...command.members }
  const printer = await DeploymentPrinter.for(context, operation.name, {
    json: invocation.globals.json,
    instance: typedWords(invocation.line, operation)['INSTANCE'],
  })
  let id: number | undefined
  try {
    for await (const given of sender.stream(routeOf(operation), members, options)) {
      const line = given as DeploymentLine // The gateway answers by this declaration.
      if (id === undefined && line.deployment_id !== null) {
        id = line.deployment_id
        if (members.detach) noteContinuing(command, id)
      }
      printer.take(line)
      if (leaves && id !== undefined && line.type !== 'result') return left(context, id)
    }
  } catch (error) {
    if (id === undefined || !members.detach || context.signal.aborted || !isLost(error)) throw error
    context.terminal.err('The connection was lost. The run continues and is followed through its record.\n')
    return followDeployment(context, id, readerOf(command), printer)
  }
  return printer.end()
}

/** An interruption from now on says that nothing was cancelled. */
function noteContinuing({ context, options, target }: DeploymentCommand, id: number): void {
  const interrupted = `Deployment ${id} continues. To follow it: ${followed(id)}`
  context.onRequest({ id: options.requestId ?? '', changes: true, target, interrupted })
}

function left({ terminal, onOutcome }: Context, id: number): ExitCode {
  onOutcome(EXIT.ok)
  terminal.err(`Deployment ${id} continues. To follow it: ${followed(id)}\n`)
  return EXIT.ok
}

const followed = (id: number): string => `fleet deployment:show ${id} --follow`

function readerOf({ context, sender }: DeploymentCommand) {
  const show = context.tree.commands['deployment:show']
  if (!show) throw new Error('the catalogue has no deployment:show')
  return async (deployment: number): Promise<unknown> =>
    (await sender.send(routeOf(show), { deployment }, { signal: context.signal })).data
}
