import { fail, type InputOf, invalid } from '@fleet/contract'
import type { RecordedDisposition, RecordedSet } from '@fleet/store'

type Input = InputOf<'route:target:set'>

/** A complete set of targets, with what becomes of those that it leaves out (RTE-071). */
export type SetRequest = Pick<RecordedSet, 'targets' | 'dispositions'>

/** One Instance or a complete set; never both (RTX-012). Throws `validation.failed` and `route.target_disposition_invalid`. */
export function requestOrRefuse({ instance_id, targets, dispositions }: Input): number | SetRequest {
  if (targets !== undefined && instance_id !== undefined)
    throw invalid({ targets: ['not allowed beside instance_id'] })
  if (targets !== undefined) return { targets, dispositions: (dispositions ?? []).map(dispositionOrRefuse) }
  if (dispositions !== undefined) throw invalid({ dispositions: ['only allowed beside targets'] })
  if (instance_id === undefined) throw invalid({ instance_id: ['name one of instance_id and targets'] })
  return instance_id
}

type Disposition = NonNullable<Input['dispositions']>[number]

/** Exactly one of the two (RTX-013, RTE-122). */
function dispositionOrRefuse({ instance_id, route_id, remove }: Disposition): RecordedDisposition {
  if (route_id !== undefined && remove !== undefined)
    throw invalidDisposition(instance_id, 'it names both `route_id` and `remove`')
  if (route_id === undefined && remove === undefined)
    throw invalidDisposition(instance_id, 'it names neither `route_id` nor `remove`')
  return { instance_id, route_id: route_id ?? null }
}

export const invalidDisposition = (instance_id: number, reason: string): Error =>
  fail('route.target_disposition_invalid', {
    message: `The disposition of the Instance ${instance_id} is not valid: ${reason}.`,
    details: { instance_id, reason },
  })

/** The same Instances in the same order, with the same dispositions in any order (RTE-114). */
export const isSameSet = (one: SetRequest, other: SetRequest): boolean =>
  isSameList(one.targets, other.targets) &&
  one.dispositions.length === other.dispositions.length &&
  one.dispositions.every(({ instance_id, route_id }) =>
    other.dispositions.some((also) => also.instance_id === instance_id && also.route_id === route_id),
  )

export const isSameList = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id, at) => id === other[at])
