import type { Row, Store } from '@fleet/store'
import { findActivity } from '#/activities/queries.ts'
import type { LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{activity}': Row<'activities'>
  }
}

export type ActivityLocators = LocatorsOf<'{activity}'>

export const makeActivityLocators = ({ db }: Store): ActivityLocators => ({
  '{activity}': byPathId((id) => findActivity(db, id)),
})
