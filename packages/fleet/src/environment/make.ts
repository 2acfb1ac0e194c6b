import { type EnvironmentCopy, makeCopy } from '#/environment/copy.ts'
import { makeImport } from '#/environment/import.ts'
import type { EnvironmentParts } from '#/environment/parts.ts'
import { makeReplace, type Replacing } from '#/environment/replace.ts'
import { makeStored } from '#/environment/stored.ts'
import { makeSync } from '#/environment/sync.ts'
import { makeUpdate } from '#/environment/update.ts'
import type { HandlersOf } from '#/handler.ts'

export interface Environment extends Replacing {
  readonly handlers: HandlersOf<'env:import' | 'env:update' | 'env:sync'>
  /** The stored values of an Instance for a clone of it. */
  copy(copy: EnvironmentCopy): Promise<void>
  /** Values by key, for those who must know what to keep out of sight; they leave the gateway nowhere. Throws SealBroken. */
  stored(instanceId: number): Promise<ReadonlyMap<string, string>>
}

/** The stored environment configuration of Instances. */
export const makeEnvironment = (parts: EnvironmentParts): Environment => ({
  handlers: {
    'env:import': makeImport(parts),
    'env:update': makeUpdate(parts),
    'env:sync': makeSync(parts),
  },
  stored: makeStored(parts),
  copy: makeCopy(parts),
  ...makeReplace(parts),
})
