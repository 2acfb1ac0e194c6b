import type { LocatorsOf } from '#/handler.ts'
import { recordOf } from '#/instances/present-record.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRecord } from '#/instances/record.ts'
import { findInstance, type FoundInstance, type InstanceReads } from '#/instances/require.ts'
import { targetOf } from '#/instances/resolve.ts'
import { pathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{instance}': InstanceRecord & Pick<FoundInstance, 'row'>
    readonly '{candidate}': InstanceRecord & Pick<FoundInstance, 'row'>
  }
}

export type InstanceLocators = LocatorsOf<'{instance}' | '{candidate}'>

/** By id, or by the exact domain of a Route (ENV-006). */
export const makeInstanceLocators = (
  reads: InstanceReads & Pick<InstanceDeps, 'routes'>,
): InstanceLocators => {
  const locate = async (text: string) => {
    const id = pathId(text) ?? (await targetOf(reads, text))
    const found = id === undefined ? undefined : await findInstance(reads, id)
    return found && { ...recordOf(found), row: found.row }
  }
  return { '{instance}': locate, '{candidate}': locate }
}
