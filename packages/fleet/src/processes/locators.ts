import type { LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'
import type { OwnerDeps } from '#/instances/api.ts'
import { findProcess } from '#/processes/find.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{process}': ProcessRecord
  }
}

export type ProcessLocators = LocatorsOf<'{process}'>

export const makeProcessLocators = (deps: OwnerDeps & Pick<ProcessesDeps, 'store'>): ProcessLocators => ({
  '{process}': byPathId((id) => findProcess(deps, id)),
})
