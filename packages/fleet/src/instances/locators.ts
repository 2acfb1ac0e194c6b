import type { LocatorsOf } from '#/handler.ts'
import { recordOf } from '#/instances/present-record.ts'
import type { InstanceRecord } from '#/instances/record.ts'
import { findInstance, type FoundInstance, type InstanceReads } from '#/instances/require.ts'
import { byPathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{instance}': InstanceRecord & Pick<FoundInstance, 'row'>
  }
}

export type InstanceLocators = LocatorsOf<'{instance}'>

export const makeInstanceLocators = (reads: InstanceReads): InstanceLocators => ({
  '{instance}': byPathId(async (id) => {
    const found = await findInstance(reads, id)
    return found && { ...recordOf(found), row: found.row }
  }),
})
