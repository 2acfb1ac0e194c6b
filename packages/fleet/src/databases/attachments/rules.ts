import { type DatabaseKey, databaseKeys } from '@fleet/contract'
import type { ConnectionRecord } from '#/databases/record.ts'

/** What of a connection is written as environment values. */
export type LoginRecord = Pick<
  ConnectionRecord,
  'driver' | 'host' | 'port' | 'database_name' | 'path' | 'username'
>

/** The six keys of a prefix (decision 27). */
export const keysOf = (prefix: string): readonly string[] => databaseKeys.map((key) => `${prefix}_${key}`)

/** Values by key, as far as the driver and the record have them (DB-088 to DB-090), as they are stored (DB-093). */
export function valuesOf(
  record: LoginRecord,
  password: string | undefined,
  prefix: string,
): ReadonlyMap<string, string> {
  const isFile = record.driver === 'sqlite'
  const values: Readonly<Record<DatabaseKey, string | number | null | undefined>> = {
    CONNECTION: record.driver,
    HOST: isFile ? null : record.host,
    PORT: isFile ? null : record.port,
    DATABASE: isFile ? record.path : record.database_name,
    USERNAME: record.username,
    PASSWORD: password,
  }
  return new Map(
    databaseKeys.flatMap((key) => {
      const value = values[key] ?? undefined
      return value === undefined ? [] : [[`${prefix}_${key}`, String(value)] as const]
    }),
  )
}
