import { fail } from '@fleet/contract'
import { findBeacon } from '#/beacons/queries.ts'
import { beaconCreation, type BeaconsDeps } from '#/beacons/steps/creation.ts'
import type { Handler } from '#/handler.ts'
import { forUndoing } from '#/managed-services/api.ts'
import { onNode } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'

/** Starts a beacon, or resumes a creation that was interrupted; an exact repeat answers the stored record. */
export const makeCreate =
  (deps: BeaconsDeps): Handler<'beacon:create'> =>
  (request) =>
    onNode(deps, request, 'beacons', async ({ node, session }) => {
      const { call, input } = request
      const { name, interval_seconds } = input
      const find = () => findBeacon(deps.store.db, node.id, name)
      const stored = await find()
      if (stored && (stored.interval_seconds !== interval_seconds || stored.status === 'removing'))
        throw fail('beacon.conflict', { details: { beacon_id: stored.id } })
      if (stored?.status === 'active') return { data: stored, created: false }
      const beacon = { node_id: node.id, name, interval_seconds, status: 'creating' } as const
      await performSteps(beaconCreation, { deps, session, beacon }, { call, withCall: forUndoing })
      const data = await find()
      if (!data) throw fail('beacon.not_found')
      return { data, created: true }
    })
