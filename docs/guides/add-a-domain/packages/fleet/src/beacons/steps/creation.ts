import { stepList } from '@fleet/steps'
import { deleteBeacon, type NewBeacon, putBeacon } from '#/beacons/queries.ts'
import { beaconService } from '#/beacons/service.ts'
import { type ServiceContext, type ServiceParts, serviceStep } from '#/managed-services/api.ts'
import type { Nodes, OnNodeParts } from '#/nodes/api.ts'

export interface BeaconsParts extends OnNodeParts, ServiceParts {
  readonly nodes: Pick<Nodes, 'addressable' | 'sessions'>
}

export interface Creation extends ServiceContext {
  readonly parts: BeaconsParts
  readonly beacon: NewBeacon
}

/** The record first: nothing runs on a Node of which no record knows. */
export const beaconCreation = stepList<Creation>('beacon-creation', [
  {
    name: 'record',
    run: ({ parts, beacon }) => putBeacon(parts.store.db, beacon),
    undo: ({ parts, beacon }) => deleteBeacon(parts.store.db, beacon),
  },
  serviceStep(({ beacon }) => beaconService(beacon)),
  {
    name: 'activate',
    commits: true,
    run: ({ parts, beacon }) => putBeacon(parts.store.db, { ...beacon, status: 'active' }),
  },
])
