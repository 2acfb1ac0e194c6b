import type { LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'
import type { OwnerParts } from '#/instances/api.ts'
import { findProcess } from '#/processes/find.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import type { ProcessRecord } from '#/processes/record.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{process}': ProcessRecord
  }
}

export type ProcessLocators = LocatorsOf<'{process}'>

export const makeProcessLocators = (parts: OwnerParts & Pick<ProcessesParts, 'store'>): ProcessLocators => ({
  '{process}': byPathId((id) => findProcess(parts, id)),
})
