import type { ToolOperationName } from '@fleet/contract'
import type { Row } from '@fleet/store'
import type { NodeRecord } from '#/nodes/api.ts'

export type ToolRow = Row<'tools'>

/** A stored Tool with the Node that it is on. */
export interface ToolRecord extends ToolRow {
  readonly node: NodeRecord
}

/** What an error says that it was doing (TLX-041). */
export type ToolStep = ToolOperationName | 'adopt' | 'scan'
