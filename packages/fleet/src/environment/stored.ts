import type { EnvironmentDeps } from '#/environment/deps.ts'
import { storedValues } from '#/environment/queries.ts'
import type { Values } from '#/environment/rules.ts'
import { openValues } from '#/environment/sealed-values.ts'

/** Stored values of an Instance by key, placeholders unresolved. Throws SealBroken. */
export const makeStored =
  ({ store }: Pick<EnvironmentDeps, 'store'>) =>
  async (instanceId: number): Promise<Values> =>
    openValues(store.cipher, instanceId, await storedValues(store.db, instanceId))
