import { deleteBeacon, findBeacon, putBeacon } from '#/beacons/queries.ts'
import { beaconService } from '#/beacons/service.ts'
import type { BeaconsDeps } from '#/beacons/steps/creation.ts'
import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { removeService } from '#/managed-services/api.ts'
import { onNode } from '#/nodes/api.ts'

/** The service goes before its record, so that the identical request can finish a removal that failed. */
export const makeDestroy =
  (deps: BeaconsDeps): Handler<'beacon:destroy'> =>
  (request) =>
    onNode(deps, request, 'beacons', async ({ node, session }) => {
      const { db } = deps.store
      const stored = await findBeacon(db, node.id, request.input.name)
      if (!stored) throw fail('beacon.not_found')
      const data = { ...stored, status: 'removing' } as const
      await putBeacon(db, data)
      await removeService(deps, session, beaconService(data))
      request.call.locks.requireHeld()
      await deleteBeacon(db, data)
      return { data }
    })
