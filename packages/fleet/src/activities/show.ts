import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { presentActivity } from '#/activities/present.ts'
import { findActivity } from '#/activities/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeShow =
  ({ db }: Store): Handler<'activity:show'> =>
  async ({ input, found }) => {
    const row = found?.activity ?? (await findActivity(db, input.activity))
    if (!row) throw fail('activity.not_found')
    return { data: presentActivity(row) }
  }
