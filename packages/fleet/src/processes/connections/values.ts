import { Secret } from '@fleet/kernel'
import { type Cipher, SealBroken } from '@fleet/store'
import * as z from 'zod'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'

/** What a Process gets of its connections at this moment: `NAME=VALUE`, and the other keys of their prefixes. */
export interface ConnectionValues {
  readonly set: readonly string[]
  readonly unset: readonly string[]
}

/** A Process with the values that it is to have on its Node; they are read once for all that is done with it. */
export interface ReadyProcess extends ProcessRecord {
  readonly values: ConnectionValues
}

type ValueDeps = Pick<ProcessesDeps, 'store' | 'connections'>

/** Throws `database.password_unreadable`, and `database.not_found` for a connection that is gone. */
export const ready = async (deps: ValueDeps, process: ProcessRecord): Promise<ReadyProcess> => ({
  ...process,
  values: await valuesFor(deps, process),
})

export async function valuesFor(
  { store, connections }: ValueDeps,
  process: Pick<ProcessRecord, 'runtime_config'>,
): Promise<ConnectionValues> {
  const set: string[] = []
  const unset: string[] = []
  for (const use of process.runtime_config.connections ?? []) {
    const keys = await connections.keysOf(store.db, use)
    set.push(...[...keys.set].map(([name, value]) => `${name}=${value}`))
    unset.push(...keys.removed)
  }
  return { set, unset }
}

/** Neither a line of Docker's variables nor systemd takes such a character in a value. */
export const fitsEnvironment = (value: string): boolean =>
  !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(value)

const placeOf = (id: number) => ({ table: 'processes', column: 'connection_values', row: String(id) })

const stored = z.strictObject({ set: z.array(z.string()), unset: z.array(z.string()) })

/** Null for nothing. */
export const sealValues = (cipher: Cipher, id: number, { set, unset }: ConnectionValues): string | null =>
  set.length + unset.length === 0
    ? null
    : cipher.seal(placeOf(id), new Secret(JSON.stringify({ set, unset })))

type Stored = Pick<ProcessRecord, 'id' | 'connection_values'>

/** With which it last started. Throws SealBroken. */
export const openValues = (cipher: Cipher, { id, connection_values: sealed }: Stored): ConnectionValues =>
  sealed === null
    ? { set: [], unset: [] }
    : stored.parse(JSON.parse(cipher.open(placeOf(id), sealed).reveal()))

/** Whether it last started with other values than those that it is to have, or nobody knows with which. */
export function isBehind(
  { store: { cipher } }: Pick<ProcessesDeps, 'store'>,
  process: ReadyProcess,
): boolean {
  try {
    const { set, unset } = openValues(cipher, process)
    return JSON.stringify([set, unset]) !== JSON.stringify([process.values.set, process.values.unset])
  } catch (error) {
    if (error instanceof SealBroken) return true
    throw error
  }
}
