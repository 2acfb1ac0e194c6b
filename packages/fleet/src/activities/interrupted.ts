import { LIMITS } from '@fleet/kernel'
import { publishRow } from '#/activities/notice.ts'
import type { JournalDeps } from '#/activities/deps.ts'
import { endActivity, listRunning } from '#/activities/queries.ts'
import type { Journal } from '#/activities/record.ts'

type RunningRow = Awaited<ReturnType<typeof listRunning>>[number]

/** A killed process leaves rows `running`; its duration was measured by nobody, so it stays null. */
export function makeCloseInterrupted(
  { store, clock, gatewayId, publisher }: JournalDeps,
  inHand: ReadonlySet<number>,
): Pick<Journal, 'closeInterrupted' | 'closeInterruptedOf'> {
  const close = async (isLeft: (row: RunningRow, gateway: unknown) => boolean): Promise<number> => {
    let closed = 0
    for (const row of await listRunning(store.db)) {
      const { gateway, ...properties } = row.properties
      if (inHand.has(row.id) || !isLeft(row, gateway)) continue
      const outcome = {
        status: 'failed',
        error_code: 'activity.interrupted',
        properties,
      } as const
      if (!(await endActivity(store.db, row.id, outcome))) continue
      closed += 1
      await publishRow(publisher, 'activity.updated', { ...row, ...outcome })
    }
    return closed
  }
  return {
    closeInterrupted() {
      const oldest = new Date(clock.now().getTime() - LIMITS.activityInterruptedSeconds * 1000).toISOString()
      // Another gateway's request may still be at work until no request can be.
      return close((row, gateway) => gateway === gatewayId || row.occurred_at <= oldest)
    },
    closeInterruptedOf: (requestId) => close((row) => row.request_id === requestId),
  }
}
