import { stepList } from '@fleet/steps'
import { deleteBeacon, type NewBeacon, putBeacon } from '#/beacons/queries.ts'
import { beaconService } from '#/beacons/service.ts'
import { type ServiceContext, type ServiceDeps, serviceStep } from '#/managed-services/api.ts'
import type { Nodes, OnNodeDeps } from '#/nodes/api.ts'

export interface BeaconsDeps extends OnNodeDeps, ServiceDeps {
  readonly nodes: Pick<Nodes, 'addressable' | 'sessions'>
}

export interface Creation extends ServiceContext {
  readonly deps: BeaconsDeps
  readonly beacon: NewBeacon
}

/** The record first: nothing runs on a Node of which no record knows. */
export const beaconCreation = stepList<Creation>('beacon-creation', [
  {
    name: 'record',
    run: ({ deps, beacon }) => putBeacon(deps.store.db, beacon),
    undo: ({ deps, beacon }) => deleteBeacon(deps.store.db, beacon),
  },
  serviceStep(({ beacon }) => beaconService(beacon)),
  {
    name: 'activate',
    commits: true,
    run: ({ deps, beacon }) => putBeacon(deps.store.db, { ...beacon, status: 'active' }),
  },
])
