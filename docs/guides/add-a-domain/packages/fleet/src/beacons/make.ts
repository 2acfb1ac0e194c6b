import { makeCreate } from '#/beacons/create.ts'
import { makeDestroy } from '#/beacons/destroy.ts'
import { makeList } from '#/beacons/list.ts'
import { type BeaconRow, findBeacon } from '#/beacons/queries.ts'
import { makeShow } from '#/beacons/show.ts'
import type { BeaconsDeps } from '#/beacons/steps/creation.ts'
import type { LocatorsOf } from '#/handler.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly 'beacons/{name}': BeaconRow
  }
}

export type BeaconsDomain = ReturnType<typeof makeBeacons>

export const makeBeacons = (deps: BeaconsDeps) => ({
  handlers: {
    'beacon:create': makeCreate(deps),
    'beacon:destroy': makeDestroy(deps),
    'beacon:list': makeList(deps),
    'beacon:show': makeShow(deps.store),
  },
  locators: {
    'beacons/{name}': async (name, { node }) => node && findBeacon(deps.store.db, node.id, name),
  } satisfies LocatorsOf<'beacons/{name}'>,
})
