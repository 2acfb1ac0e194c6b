import type { Database } from '@fleet/store'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { deleteValues, putValues, storedValues } from '#/environment/queries.ts'
import type { Values } from '#/environment/rules.ts'
import { movedPath } from '#/moved-path.ts'
import { openOrRefuse, openValues, sealValue } from '#/environment/sealed-values.ts'

export interface EnvironmentCopy {
  readonly from: number
  readonly to: number
  /** Values that the copy has instead. */
  readonly set: Values
  /** Values that are this path, or below it, name another one in the copy. */
  readonly moved?: { readonly from: string; readonly to: string } | undefined
}

/**
 * The stored values of one Instance become those of another, each sealed for its new place. May be repeated. Throws
 * `instance.clone_candidate_environment_invalid`.
 */
export const makeCopy =
  ({ store, clock }: Pick<EnvironmentDeps, 'store' | 'clock'>) =>
  ({ from, to, set, moved }: EnvironmentCopy): Promise<void> =>
    store.transaction(async (db) => {
      const stored = await storedValues(db, from)
      const copied = [
        ...openOrRefuse(store.cipher, from, stored, 'instance.clone_candidate_environment_invalid'),
      ].map(([key, value]) => [key, (moved && movedPath(value, moved)) ?? value] as const)
      const values = new Map([...copied, ...set])
      const gone = (await storedValues(db, to)).filter(({ key }) => !values.has(key))
      const sealed = [...values].map(([key, value]) => sealValue(store.cipher, to, key, value))
      await deleteValues(
        db,
        to,
        gone.map(({ key }) => key),
      )
      await putValues(db, to, sealed, clock.now().toISOString())
    })

/** Stored values of one Instance for another one, which keeps what it has besides. */
export interface RenamedCopy {
  readonly from: number
  readonly to: number
  rename(value: string): string
}

/**
 * The same for a copy of the Instance, in the caller's transaction: values name the copy, and what only the copy has stays. May be
 * repeated. Throws SealBroken.
 */
export const makeCopyRenamed =
  ({ store: { cipher }, clock }: Pick<EnvironmentDeps, 'store' | 'clock'>) =>
  async (db: Database, { from, to, rename }: RenamedCopy): Promise<void> => {
    const own = [...openValues(cipher, to, await storedValues(db, to))]
    const values = [...own, ...openValues(cipher, from, await storedValues(db, from))]
    const sealed = [...new Map(values)].map(([key, value]) => sealValue(cipher, to, key, rename(value)))
    await putValues(db, to, sealed, clock.now().toISOString())
  }
