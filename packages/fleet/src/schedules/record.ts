import type { Row } from '@fleet/store'
import type { RuntimeOwner } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

export type ScheduleRow = Row<'schedules'>

/** A stored Schedule with what it belongs to. */
export interface ScheduleRecord extends Omit<ScheduleRow, 'instance_id' | 'node_id'> {
  readonly owner: RuntimeOwner
  /** Where it runs. */
  readonly node: NodeRecord
}

export const recordOf = (
  { instance_id: _, node_id: __, ...row }: ScheduleRow,
  owner: RuntimeOwner,
): ScheduleRecord => ({ ...row, owner, node: owner.node })
