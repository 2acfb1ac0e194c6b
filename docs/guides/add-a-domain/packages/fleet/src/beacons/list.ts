import { listBeacons } from '#/beacons/queries.ts'
import type { BeaconsDeps } from '#/beacons/steps/creation.ts'
import type { Handler } from '#/handler.ts'

export const makeList =
  ({ store, nodes }: BeaconsDeps): Handler<'beacon:list'> =>
  async ({ call }) => {
    const ids = call.caller ? await nodes.addressable(call.caller) : []
    return { data: await listBeacons(store.db, [...ids]) }
  }
