import type { Row } from '@fleet/store'
import type { RuntimeOwner } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

export type ProcessRow = Row<'processes'>

export type ProcessOwner = RuntimeOwner

/** A stored Process with what it belongs to. */
export interface ProcessRecord extends Omit<ProcessRow, 'instance_id' | 'node_id'> {
  readonly owner: ProcessOwner
  readonly node: NodeRecord
  readonly environment: 'development' | 'production'
  /** Instance whose stored values its log may show. */
  readonly instanceId: number | undefined
}
