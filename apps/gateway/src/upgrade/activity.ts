import { fail } from '@fleet/contract'
import type { Caller } from '@fleet/fleet'
import { CodedError } from '@fleet/kernel'
import { callerOf } from '#/install/first-node.ts'
import { lookUp, underActivity } from '#/console/perform.ts'
import type { InSession, Session } from '#/console/session.ts'
import type { UpgradeState } from './state.ts'

const COMMAND = 'gateway:upgrade'

/** Shows the upgrade on the gateway's Node while it lasts. */
export const noteBegin = (inSession: InSession, { to }: UpgradeState): Promise<void> =>
  inSession(async (session) => {
    const node = await session.services.nodes.gateway()
    if (!node) return
    await underActivity(session, {
      command: `${COMMAND}:begin`,
      caller: callerOf(node),
      run: async (call) => {
        call.note.target(node.id)
        call.note.property('release', to)
        await session.services.updates.begin(call, node.id, {
          kind: 'gateway_release',
          rollout: null,
          release: to,
        })
      },
    })
  })

/**
 * Stores what came of it, with the reason of a return. Once: the id of the upgrade is that of the request, and what a killed
 * attempt left of it counts for nothing.
 */
export const noteOutcome = (inSession: InSession, state: UpgradeState): Promise<void> =>
  inSession(async (session) => {
    const node = await session.services.nodes.gateway()
    const caller = node && callerOf(node)
    await session.services.journal.closeInterruptedOf(state.id)
    if (await isPublished(session, caller, state.id)) return
    await underActivity(session, {
      command: COMMAND,
      caller,
      requestId: state.id,
      run: async (call) => {
        if (node) {
          call.note.target(node.id)
          await session.services.updates.end(call, node.id)
        }
        call.note.property('from', state.from)
        call.note.property('to', state.to)
        if (!state.reason) return
        call.note.property('failed_step', state.reason.step)
        call.note.property('reason', state.reason.message)
        throw fail('gateway.release_returned')
      },
    }).catch((error: unknown) => {
      if (!(error instanceof CodedError && error.code === 'gateway.release_returned')) throw error
    })
  })

async function isPublished(
  session: Session,
  caller: Caller | undefined,
  requestId: string,
): Promise<boolean> {
  const found = await lookUp(session, {
    command: 'activity:list',
    caller,
    run: (call) =>
      session.services.handlers['activity:list']({
        call,
        input: { limit: 200, request_id: requestId, command: COMMAND },
      }),
  })
  return found.data.some(({ error_code: code }) => code !== 'activity.interrupted')
}
