import { catalogue, type OperationName, type OperationOf, pathParams } from '@fleet/contract'
import type { Call, Caller, Outcome, StepProgress } from '@fleet/fleet'
import type * as z from 'zod'
import { parseInput, type RawInput } from '#/http/input.ts'
import type { Session } from './session.ts'

const CLIENT = 'fleet-gateway'

/** What one console command does under one Activity. */
export interface Work<T> {
  /** As the Activity names it. */
  readonly command: string
  readonly caller: Caller | undefined
  readonly progress?: (progress: StepProgress) => void
  /** A fresh one when absent. */
  readonly requestId?: string
  run(call: Call): Promise<T>
}

/** A change by a console command. */
export const underActivity = <T>(
  { executor }: Session,
  { command, caller, progress, requestId, run }: Work<T>,
): Promise<T> =>
  executor.execute({
    operation: command,
    ...(requestId === undefined ? {} : { requestId }),
    recording: { as: 'change', callerAddress: caller?.address ?? '', client: CLIENT },
    admit: (entry) => caller && entry.caller(caller),
    run,
    exitStatus: { succeeded: 0, failed: 1 },
    progress,
  })

/** A look at something for a command that has its own Activity. */
export const lookUp = <T>(
  { executor }: Session,
  { command, caller, run }: Pick<Work<T>, 'command' | 'caller' | 'run'>,
): Promise<T> =>
  executor.execute({
    operation: command,
    recording: { unrecorded: 'lookup' },
    admit: (entry) => caller && entry.caller(caller),
    run,
  })

export interface Performed<N extends OperationName> {
  readonly data: z.input<OperationOf<N>['output']>
  readonly created: boolean
}

/** Carries an operation of the catalogue out in this process. Throws what it throws. */
export async function perform<N extends OperationName>(
  session: Session,
  name: N,
  members: Readonly<Record<string, unknown>>,
  how: Pick<Work<unknown>, 'caller' | 'progress'>,
): Promise<Performed<N>> {
  const operation = catalogue.find((one) => one.name === name)
  const handler = session.services.handlers[name]
  if (!operation) throw new Error(`there is no operation ${name}`)
  return underActivity(session, {
    command: name,
    ...how,
    run: async (call) => {
      const input = parseInput(operation, { query: {}, ...placed(operation.path, members) })
      const outcome: Outcome<Performed<N>['data']> = await handler({ call, input: input as never }) // The operation's own schema made it.
      return { data: outcome.data, created: outcome.created === true }
    },
  })
}

/** What the path names is text there. */
function placed(place: string, given: Readonly<Record<string, unknown>>): Pick<RawInput, 'path' | 'members'> {
  const params = pathParams(place)
  const entries = Object.entries(given)
  const path = entries
    .filter(([name]) => params.includes(name))
    .map(([name, value]): [string, string] => [name, String(value)])
  const members = entries.filter(([name]) => !params.includes(name))
  return { path: Object.fromEntries(path), members: Object.fromEntries(members) }
}
