import type { Store } from '@fleet/store'
import type { LocatorsOf } from '#/handler.ts'
import { findNode } from '#/nodes/queries.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import { byPathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{node}': NodeRecord
    readonly '{serving}': NodeRecord
    readonly '{consumer}': NodeRecord
  }
}

export type NodeLocators = LocatorsOf<'{node}' | '{serving}' | '{consumer}'>

export const makeNodeLocators = ({ db }: Store): NodeLocators => {
  const node = byPathId((id) => findNode(db, id))
  return { '{node}': node, '{serving}': node, '{consumer}': node }
}
