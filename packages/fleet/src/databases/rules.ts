import { X509Certificate } from 'node:crypto'
import {
  type DatabaseDriver,
  databaseDriverRule,
  type DatabaseField,
  databaseFields,
  type DatabaseTlsMode,
  databaseTlsModes,
} from '@fleet/contract'
import type { ConnectionRecord } from '#/databases/record.ts'

/** Members of a request: absent ones are undefined, null clears. */
export type GivenFields = { readonly [F in DatabaseField]?: string | number | null | undefined }

/** The row of a connection but for its password. */
export type LoginFields = Pick<
  ConnectionRecord,
  'driver' | 'node_id' | 'host' | 'port' | 'database_name' | 'path' | 'username' | 'tls' | 'tls_ca'
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
    ...tlsOf(modeOf(valueOf('tls')), textOf(valueOf('tls_ca'))),
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
    ...tlsProblem(row),
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
  tls: stored.tls,
  tls_ca: stored.tls_ca,
  // A port is one of its driver.
  port: stored.driver === driver ? stored.port : null,
})

const passwordOf = ({ password }: GivenFields): string | null | undefined =>
  password === undefined ? undefined : textOf(password)

/** Who names an authority wants the server verified. `prefer` is what is done without a word. */
const tlsOf = (
  mode: DatabaseTlsMode | null,
  authority: string | null,
): Pick<LoginFields, 'tls' | 'tls_ca'> => {
  const wanted = mode ?? (authority === null ? null : 'verify-full')
  return { tls: wanted === 'prefer' ? null : wanted, tls_ca: authority }
}

const modeOf = (value: string | number | null): DatabaseTlsMode | null =>
  databaseTlsModes.find((mode) => mode === value) ?? null

function tlsProblem({ tls, tls_ca: authority }: LoginFields): Planned['problems'] {
  if (authority === null)
    return tls === 'verify-ca'
      ? { tls_ca: ['is required by verify-ca: any other certificate of a public authority would do'] }
      : {}
  if (tls !== 'verify-ca' && tls !== 'verify-full')
    return { tls_ca: ['is taken together with verify-ca and verify-full alone'] }
  return isReadable(authority) ? {} : { tls_ca: ['has a certificate that cannot be read'] }
}

function isReadable(authority: string): boolean {
  const certificates = authority.match(/-----BEGIN [^]+?-----END CERTIFICATE-----/g) ?? []
  try {
    return certificates.every((each) => new X509Certificate(each).raw.length > 0)
  } catch {
    return false
  }
}

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value))
const numberOf = (value: string | number | null): number | null => (value === null ? null : Number(value))
