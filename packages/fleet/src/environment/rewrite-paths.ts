import type { Database } from '@fleet/store'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { putValues, storedValues } from '#/environment/queries.ts'
import { openOrRefuse, sealValue } from '#/environment/sealed-values.ts'
import { movedPath } from '#/moved-path.ts'

/**
 * Stored values that are an absolute path at or below a directory name the place that it got, in the transaction that moves it.
 * Every key stays. Throws `env.configuration_invalid` when the values cannot be read.
 */
export const makeRewritePaths =
  ({ store: { cipher }, clock }: Pick<EnvironmentDeps, 'store' | 'clock'>) =>
  async (
    db: Database,
    instanceId: number,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<void> => {
    if (from === to) return
    const stored = await storedValues(db, instanceId)
    const values = openOrRefuse(cipher, instanceId, stored, 'env.configuration_invalid')
    const moved = [...values].flatMap(([key, value]) => {
      const path = movedPath(value, { from, to })
      return path === undefined ? [] : [sealValue(cipher, instanceId, key, path)]
    })
    await putValues(db, instanceId, moved, clock.now().toISOString())
  }
