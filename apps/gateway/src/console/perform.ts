import { catalogue, type OperationName, type OperationOf } from '@fleet/contract'
import type { Call, Caller, Outcome, StepProgress } from '@fleet/fleet'
import { Deadline, Fault, LIMITS } from '@fleet/kernel'
import type * as z from 'zod'
import { CollectedEvents } from '#/feed/collected-events.ts'
import { asCoded } from '#/http/answer.ts'
import { parseInput } from '#/http/input.ts'
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

/** Carries work out as the HTTP layer does: an Activity before it, its outcome and the events after it. */
export async function underActivity<T>(session: Session, work: Work<T>): Promise<T> {
  const { clock, ids, services, feed } = session
  const { command, caller, requestId = ids.uuid() } = work
  const activity = services.journal.open({
    requestId,
    command,
    callerAddress: caller?.address ?? '',
    client: CLIENT,
    startedAt: clock.now(),
    startedTicks: clock.ticks(),
  })
  if (caller) activity.caller(caller.id)
  await activity.begin()
  const events = new CollectedEvents()
  const call: Call = {
    ...silentCall(session, { command, caller, requestId }),
    note: activity.note,
    event: (type, data) => events.record(type, data),
    ...(work.progress ? { progress: work.progress } : {}),
  }
  try {
    const result = await work.run(call)
    await activity.succeed()
    return result
  } catch (error) {
    await activity.fail(asCoded(error).code)
    throw error instanceof Fault ? error : asCoded(error)
  } finally {
    await feed.publish(events.all())
  }
}

/** A call that stores nothing, for looking something up. */
export const silentCall = (
  { clock, signal }: Session,
  {
    command,
    caller,
    requestId,
  }: { readonly command: string; readonly caller: Caller | undefined; readonly requestId: string },
): Call => ({
  requestId,
  operation: command,
  caller,
  deadline: new Deadline(clock, LIMITS.deadlineSeconds, LIMITS.cleanupReserveSeconds),
  signal,
  note: {
    target: () => undefined,
    subject: () => undefined,
    property: () => undefined,
    exitCode: () => undefined,
  },
  emit: () => Promise.reject(new Error('a console command writes no lines')),
  event: () => undefined,
  progress: () => undefined,
  log: () => undefined,
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
      const input = parseInput(operation, { path: {}, query: {}, members })
      const outcome: Outcome<Performed<N>['data']> = await handler({ call, input: input as never }) // The operation's own schema made it.
      return { data: outcome.data, created: outcome.created === true }
    },
  })
}
