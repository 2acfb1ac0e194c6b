import type { Call } from '#/call.ts'
import { makeImport } from '#/environment/import.ts'
import type { EnvironmentParts } from '#/environment/parts.ts'
import { makeReplace, type Replacing } from '#/environment/replace.ts'
import { makeStored } from '#/environment/stored.ts'
import { makeSync, makeSynchronize } from '#/environment/sync.ts'
import { makeUpdate } from '#/environment/update.ts'
import type { HandlersOf } from '#/handler.ts'

export interface Environment extends Replacing {
  readonly handlers: HandlersOf<'env:import' | 'env:update' | 'env:sync'>
  /** Values by key, for those who must know what to keep out of sight; they leave the gateway nowhere. Throws SealBroken. */
  stored(instanceId: number): Promise<ReadonlyMap<string, string>>
  /** Writes the `.env` file of an Instance whose operation lock the caller holds (ENV-059). Throws what `env:sync` throws. */
  synchronize(call: Call, instanceId: number): Promise<void>
}

/** The stored environment configuration of Instances. */
export const makeEnvironment = (parts: EnvironmentParts): Environment => ({
  handlers: {
    'env:import': makeImport(parts),
    'env:update': makeUpdate(parts),
    'env:sync': makeSync(parts),
  },
  stored: makeStored(parts),
  synchronize: makeSynchronize(parts),
  ...makeReplace(parts),
})
