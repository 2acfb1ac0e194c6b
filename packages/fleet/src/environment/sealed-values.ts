import { Secret } from '@fleet/kernel'
import { type ErrorCode, fail } from '@fleet/contract'
import { type Cipher, type Place, SealBroken } from '@fleet/store'
import type { StoredValue } from '#/environment/queries.ts'

/** The sealed form of a value, bound to its Instance and key (ENV-003). */
export const sealValue = (cipher: Cipher, instanceId: number, key: string, value: string): StoredValue => ({
  key,
  value: cipher.seal(placeOf(instanceId, key), new Secret(value)),
})

/** Opens the stored values of an Instance. Throws SealBroken. */
export const openValues = (
  cipher: Cipher,
  instanceId: number,
  stored: readonly StoredValue[],
): ReadonlyMap<string, string> =>
  new Map(stored.map(({ key, value }) => [key, cipher.open(placeOf(instanceId, key), value).reveal()]))

/** The same. Throws the code where a value cannot be opened. */
export function openOrRefuse(
  cipher: Cipher,
  instanceId: number,
  stored: readonly StoredValue[],
  code: ErrorCode,
): ReadonlyMap<string, string> {
  try {
    return openValues(cipher, instanceId, stored)
  } catch (error) {
    if (error instanceof SealBroken) throw fail(code, { cause: error })
    throw error
  }
}

const placeOf = (instanceId: number, key: string): Place => ({
  table: 'environment_values',
  column: 'value',
  row: `${instanceId}/${key}`,
})
