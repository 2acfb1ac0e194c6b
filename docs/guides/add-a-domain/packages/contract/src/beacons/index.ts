import * as z from 'zod'
import { changeErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { dnsLabel, id, none } from '../params.ts'

export const beaconStatuses = ['creating', 'active', 'removing'] as const
export type BeaconStatus = (typeof beaconStatuses)[number]

const interval = z.int().min(1).max(3600).describe('Seconds between two signs of life.')

/** A Node that says by a file of its own that it is alive. */
export const beacon = z.strictObject({
  id,
  node_id: id,
  name: dnsLabel,
  interval_seconds: interval,
  status: z.enum(beaconStatuses),
})

const shared = { group: 'Beacons', access: 'node', output: beacon } as const
const named = {
  ...shared,
  path: '/nodes/{node}/beacons/{name}',
  input: z.strictObject({ node: id, name: dnsLabel }),
  unknown: { node: 'node.not_found', name: 'beacon.not_found' },
} as const
const errors = ['beacon.busy', 'beacon.service_failed', ...changeErrors] as const

export const beaconOperations = {
  beaconList: operation({
    name: 'beacon:list',
    group: 'Beacons',
    method: 'GET',
    path: '/beacons',
    access: 'peer',
    input: z.strictObject(none),
    output: z.array(beacon),
    summary: 'List the beacons of all Nodes that the caller can access, sorted by Node and name',
  }),
  beaconShow: operation({ ...named, name: 'beacon:show', method: 'GET', summary: 'Show a beacon of a Node' }),
  beaconCreate: operation({
    ...shared,
    name: 'beacon:create',
    method: 'POST',
    path: '/nodes/{node}/beacons',
    input: z.strictObject({ node: id, name: dnsLabel, interval_seconds: interval.default(60) }),
    creates: true,
    errors: ['beacon.conflict', ...errors],
    unknown: { node: 'node.not_found' },
    summary: 'Start a beacon on a Node',
    positional: ['node', 'name'],
    watchable: true,
  }),
  beaconDestroy: operation({
    ...named,
    name: 'beacon:destroy',
    method: 'DELETE',
    errors,
    summary: 'Stop a beacon and remove it from its Node',
  }),
}
