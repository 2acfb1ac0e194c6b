import { type DatabaseDriver, databaseDriverRule, type DatabaseField, databaseFields } from '@fleet/contract'
import type { ConnectionRecord } from '#/databases/record.ts'

/** Members of a request: absent ones are undefined, null clears. */
export type GivenFields = { readonly [F in DatabaseField]?: string | number | null | undefined }

/** The row of a connection but for its password. */
export type LoginFields = Pick<
  ConnectionRecord,
  'driver' | 'node_id' | 'host' | 'port' | 'database_name' | 'path' | 'username'
>

export interface Planned {
  readonly row: LoginFields
  /** A new one, null to clear it, undefined to keep what is stored. */
  readonly password: string | null | undefined
  /** Texts by member; nothing may be stored while there are any. */
  readonly problems: Readonly<Record<string, readonly string[]>>
}

const REDIS_INDEX = /^\d{1,3}$/

/**
 * What the stored row becomes with the given members, by the rules of its driver (DB-019 to DB-023). With another driver,
 * stored values that it does not take are dropped, and its default port is used.
 */
export function plan(
  driver: DatabaseDriver,
  given: GivenFields,
  stored?: LoginFields & { readonly hasPassword: boolean },
): Planned {
  const rule = databaseDriverRule(driver)
  const taken = new Set<DatabaseField>([...rule.required, ...rule.optional])
  const kept = stored ? keptFields(stored, driver) : {}
  const valueOf = (field: DatabaseField): string | number | null => {
    if (!taken.has(field)) return null
    return (given[field] === undefined ? kept[field] : given[field]) ?? null
  }
  const row: LoginFields = {
    driver,
    node_id: numberOf(valueOf('node_id')),
    host: textOf(valueOf('host')),
    port: numberOf(valueOf('port')) ?? rule.defaultPort,
    database_name: textOf(valueOf('database')),
    path: textOf(valueOf('path')),
    username: textOf(valueOf('username')),
  }
  const password = taken.has('password') ? passwordOf(given) : null
  const hasPassword = password === undefined ? stored?.hasPassword === true : password !== null
  const needs = missingOf(driver, { ...row, hasPassword })
  const refused = databaseFields.filter((field) => !taken.has(field) && (given[field] ?? null) !== null)
  const problems = {
    ...named(needs, `is required by the driver ${driver}`),
    ...named(refused, `is not taken by the driver ${driver}`),
    ...indexProblem(row),
    ...numberProblem(driver, given),
  }
  return { row, password, problems }
}

/** Which required fields a stored row lacks (DBD-003). */
export const missingOf = (
  driver: DatabaseDriver,
  row: Omit<LoginFields, 'driver'> & { readonly hasPassword: boolean },
): readonly DatabaseField[] => {
  const { hasPassword, database_name: database, ...fields } = row
  const values = { ...fields, database, password: hasPassword ? '' : null }
  return databaseDriverRule(driver).required.filter((field) => values[field] === null)
}

const named = (fields: readonly DatabaseField[], text: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(fields.map((field) => [field, [text]]))

const indexProblem = ({ driver, database_name: index }: LoginFields): Planned['problems'] =>
  driver === 'redis' && index !== null && !REDIS_INDEX.test(index)
    ? { database: ['must be a number of one to three digits'] }
    : {}

const numberProblem = (driver: DatabaseDriver, { database }: GivenFields): Planned['problems'] =>
  driver !== 'redis' && typeof database === 'number' ? { database: ['must be a text'] } : {}

const keptFields = (
  stored: LoginFields,
  driver: DatabaseDriver,
): Partial<Record<DatabaseField, string | number | null>> => ({
  node_id: stored.node_id,
  host: stored.host,
  database: stored.database_name,
  path: stored.path,
  username: stored.username,
  // A port is one of its driver.
  port: stored.driver === driver ? stored.port : null,
})

const passwordOf = ({ password }: GivenFields): string | null | undefined =>
  password === undefined ? undefined : textOf(password)

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value))
const numberOf = (value: string | number | null): number | null => (value === null ? null : Number(value))
