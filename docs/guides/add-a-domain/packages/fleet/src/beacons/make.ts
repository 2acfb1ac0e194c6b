import { makeCreate } from '#/beacons/create.ts'
import { makeDestroy } from '#/beacons/destroy.ts'
import { makeList } from '#/beacons/list.ts'
import { type BeaconRow, findBeacon } from '#/beacons/queries.ts'
import { makeShow } from '#/beacons/show.ts'
import type { BeaconsParts } from '#/beacons/steps/creation.ts'
import type { LocatorsOf } from '#/handler.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly 'beacons/{name}': BeaconRow
  }
}

export type BeaconsDomain = ReturnType<typeof makeBeacons>

export const makeBeacons = (parts: BeaconsParts) => ({
  handlers: {
    'beacon:create': makeCreate(parts),
    'beacon:destroy': makeDestroy(parts),
    'beacon:list': makeList(parts),
    'beacon:show': makeShow(parts.store),
  },
  locators: {
    'beacons/{name}': async (name, { node }) => node && findBeacon(parts.store.db, node.id, name),
  } satisfies LocatorsOf<'beacons/{name}'>,
})
