import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { findBeacon } from '#/beacons/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeShow =
  ({ db }: Store): Handler<'beacon:show'> =>
  async ({ input, found }) => {
    const data = found?.name ?? (await findBeacon(db, input.node, input.name))
    if (!data) throw fail('beacon.not_found')
    return { data }
  }
