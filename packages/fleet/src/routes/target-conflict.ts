import { fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'

interface TargetConflict {
  /** The Route that the request is about; undefined for one that it would create. */
  readonly requested: number | undefined
  /** The Route whose targets stay as they are; often the same. */
  readonly existing: number | null
  readonly instances: readonly number[]
  readonly message?: string
}

/** `route.target_conflict` with both Routes (RTX-069). */
export const targetConflict = ({ requested, existing, instances, message }: TargetConflict): CodedError =>
  fail('route.target_conflict', {
    ...(message === undefined ? {} : { message }),
    details: {
      requested_route_id: requested ?? null,
      existing_route_id: existing,
      instance_ids: instances,
    },
  })

/** `route.target_inactive`, also for an Instance that does not exist (RTE-098, RTE-119). */
export const targetInactive = (instance: object | undefined, instanceId: number): CodedError =>
  fail('route.target_inactive', {
    ...(instance ? {} : { message: 'No Instance has this id.' }),
    details: { instance_id: instanceId },
  })
