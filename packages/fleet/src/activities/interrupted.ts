import { LIMITS } from '@fleet/kernel'
import type { JournalParts } from '#/activities/journal.ts'
import { tellOf } from '#/activities/notice.ts'
import { endActivity, listRunning } from '#/activities/queries.ts'

/** A killed process leaves rows `running`; its duration was measured by nobody, so it stays null. */
export const makeCloseInterrupted =
  ({ store, clock, gatewayId, teller }: JournalParts, inHand: ReadonlySet<number>): (() => Promise<number>) =>
  async () => {
    const oldest = new Date(clock.now().getTime() - LIMITS.activityInterruptedSeconds * 1000).toISOString()
    let closed = 0
    for (const row of await listRunning(store.db)) {
      if (inHand.has(row.id)) continue
      const { gateway, ...properties } = row.properties
      // Another gateway's request may still be at work until no request can be.
      if (gateway !== gatewayId && row.occurred_at > oldest) continue
      const outcome = {
        status: 'failed',
        error_code: 'activity.interrupted',
        properties,
      } as const
      if (!(await endActivity(store.db, row.id, outcome))) continue
      closed += 1
      await tellOf(teller, 'activity.updated', { ...row, ...outcome })
    }
    return closed
  }
