import * as z from 'zod'
import { BLANK, FILLED, filePath, id, nullableId, time } from '../params.ts'

export const databaseDrivers = ['mysql', 'pgsql', 'sqlite', 'redis'] as const
export type DatabaseDriver = (typeof databaseDrivers)[number]

/** Fields of a registration beside slug and driver. */
export const databaseFields = [
  'node_id',
  'host',
  'port',
  'database',
  'path',
  'username',
  'password',
  'tls',
  'tls_ca',
] as const
export type DatabaseField = (typeof databaseFields)[number]

interface DriverRule {
  readonly required: readonly DatabaseField[]
  /** A field that is in neither list is refused (DB-023). */
  readonly optional: readonly DatabaseField[]
  readonly defaultPort: number | null
}

/** What each driver takes (DB-019 to DB-022). */
export const databaseDriverRules = {
  mysql: {
    required: ['host', 'database', 'username', 'password'],
    optional: ['node_id', 'port', 'tls', 'tls_ca'],
    defaultPort: 3306,
  },
  pgsql: {
    required: ['host', 'database', 'username', 'password'],
    optional: ['node_id', 'port', 'tls', 'tls_ca'],
    defaultPort: 5432,
  },
  sqlite: { required: ['path'], optional: ['node_id', 'username', 'password'], defaultPort: null },
  redis: {
    required: ['host'],
    optional: ['node_id', 'port', 'database', 'username', 'password'],
    defaultPort: 6379,
  },
} as const satisfies Record<DatabaseDriver, DriverRule>

/** The rule of a driver with its lists as wide as the fields. */
export const databaseDriverRule = (driver: DatabaseDriver): DriverRule => databaseDriverRules[driver]

export const DATABASE_LIMITS = {
  slugMaxCharacters: 63,
  pathMaxCharacters: 1024,
  nameMaxCharacters: 128,
  passwordMaxCharacters: 1024,
  sqlMaxCharacters: 16_384,
  /** DB-054. */
  rowsMax: 500,
  /** Two names of 63 characters and the point between them, each in quotes of its own. */
  tableMaxCharacters: 255,
  userMaxCharacters: 32,
  tlsAuthorityMaxCharacters: 65_536,
} as const

const { slugMaxCharacters, pathMaxCharacters, nameMaxCharacters, passwordMaxCharacters } = DATABASE_LIMITS

/** Lowercase words joined by hyphens (DB-004, DBS-001). */
export const databaseSlug = z
  .string()
  .max(slugMaxCharacters)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lowercase words of letters and digits, joined by hyphens')

const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$/
const ipv6 = z.ipv6()

/** A name or an address alone (DB-009). */
export const databaseHost = z
  .string()
  .refine(
    (text) => HOST_NAME.test(text) || ipv6.safeParse(text).success,
    'must be a host name or an IP address, without user or port',
  )
export const databasePort = z.int().min(1).max(65_535)
/** Printable text without control characters. */
const printable = z
  .string()
  .min(1)
  .regex(/^\P{C}+$/u, 'must be printable text')
  .regex(FILLED, BLANK)
/** Text; the index of redis, and no other name, may be sent as a number. It is stored as text (DBS-004). */
export const databaseName = z.union([printable.max(nameMaxCharacters), z.int().min(0).max(999)])
export const databaseUserName = printable.max(nameMaxCharacters)
/** DB-012. */
export const databasePath = filePath(pathMaxCharacters)
/** How much of TLS a connection asks for, in the words of libpq (`sslmode`). */
export const databaseTlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type DatabaseTlsMode = (typeof databaseTlsModes)[number]
/** One certificate or several, each between its two lines. */
export const databaseTlsAuthority = z
  .string()
  .max(DATABASE_LIMITS.tlsAuthorityMaxCharacters)
  .regex(
    /^\s*(?:-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----\s*)+$/,
    'must be certificates in PEM',
  )
export const databasePassword = z.string().min(1).max(passwordMaxCharacters)
/** As `database:tables` lists it, with its schema where it has one (decision 0184). */
export const databaseTable = z
  .string()
  .min(1)
  .max(DATABASE_LIMITS.tableMaxCharacters)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must be the name of a table, as `database:tables` lists it')

/** One database: driver, location and login, never the password (DB-001, DB-002, DBS-002). */
export const databaseConnection = z.strictObject({
  id,
  slug: databaseSlug,
  driver: z.enum(databaseDrivers),
  node_id: nullableId,
  host: z.string().nullable(),
  port: z.int().nullable(),
  database: z.string().nullable(),
  path: z.string().nullable(),
  username: z.string().nullable(),
  has_password: z.boolean(),
  /** Slug of the database server that holds the database; null for a registered one. */
  server: z.string().nullable(),
  owner_instance_id: nullableId,
  test_database: z.string().nullable(),
  /** Absent while nothing else than `prefer` was asked for. */
  tls: z.enum(databaseTlsModes).optional(),
  /** True where the connection has certificates of its own that sign the server's; else absent. */
  has_tls_ca: z.boolean().optional(),
})
export type DatabaseConnectionData = z.output<typeof databaseConnection>

/** What an attachment has replaced in the stored configuration; absent where it replaced nothing. Beyond the specification. */
export const replacedByAttachment = z
  .strictObject({
    /** Slug of the connection that had the prefix. */
    connection: z.string().nullable(),
    /** Stored keys that had another value, or that no longer exist. */
    keys: z.array(z.string()),
  })
  .optional()
export type ReplacedByAttachment = NonNullable<z.output<typeof replacedByAttachment>>

/** Name before the keys that an attached connection writes (DB-080, DBS-022). */
export const databasePrefix = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9_]{0,31}$/,
    'must be a capital letter, then up to 31 capital letters, digits or underscores',
  )
export const DEFAULT_DATABASE_PREFIX = 'DB'

/** What an attachment writes after its prefix (decision 27). */
export const databaseKeys = ['CONNECTION', 'HOST', 'PORT', 'DATABASE', 'USERNAME', 'PASSWORD'] as const
export type DatabaseKey = (typeof databaseKeys)[number]

/** Names and the address alone, never another value (DB-081, DB-082, DBS-021). */
export const databaseAttachment = z.strictObject({
  instance_id: id,
  slug: databaseSlug,
  prefix: databasePrefix,
  /** Those that were written, or that no longer exist. */
  keys: z.array(z.string()),
  host: z.string().nullable(),
  port: z.int().nullable(),
  operation: z.enum(['add', 'remove']),
  /** False when the stored configuration already was so. */
  changed: z.boolean(),
  /** All stored keys of the Instance. */
  key_count: z.int().min(0).max(1024),
})
export type DatabaseAttachmentData = z.output<typeof databaseAttachment>

/** What show adds (DB-018). */
export const databaseConnectionDetail = databaseConnection.extend({ users_count: z.int().min(0) })

/** A user that the service created for a connection (DBS-019). */
export const databaseUser = z.strictObject({
  id,
  database_connection_id: id,
  username: z.string(),
  /** Describes the grant. */
  privileges: z.string(),
  /** Name of the Node that asked for it. */
  created_by: z.string().nullable(),
  created_at: time,
})
export type DatabaseUserData = z.output<typeof databaseUser>

const named = { slug: databaseSlug, driver: z.enum(databaseDrivers) }

/** One column of a table (DBS-011). */
export const databaseColumn = z.strictObject({
  name: z.string(),
  type: z.string(),
  nullable: z.boolean(),
  default: z.string().nullable(),
  primary: z.boolean(),
})
export type DatabaseColumnData = z.output<typeof databaseColumn>

/** Result of a statement (DB-053, DBS-007). */
export const databaseResult = z.strictObject({
  ...named,
  write: z.boolean(),
  columns: z.array(z.string()),
  /** Keyed by the names in `columns`. */
  rows: z.array(z.record(z.string(), z.unknown())),
  row_count: z.int().min(0),
  truncated: z.boolean(),
})
export type DatabaseResultData = z.output<typeof databaseResult>

/** DBS-009 to DBS-011. */
export const databaseTableList = z.strictObject({ ...named, tables: z.array(z.string()) })
export const databaseSchemaData = z.strictObject({
  ...named,
  tables: z.array(z.strictObject({ name: z.string(), columns: z.array(databaseColumn) })),
})
export const databaseTableData = z.strictObject({
  ...named,
  table: z.string(),
  columns: z.array(databaseColumn),
})

export const databaseEngines = ['mysql', 'mariadb', 'pgsql'] as const
export type DatabaseEngine = (typeof databaseEngines)[number]

/** `active` once its root login answers (DBS-029). */
export const databaseServerStatuses = ['provisioning', 'active', 'failed', 'removing'] as const
export type DatabaseServerStatus = (typeof databaseServerStatuses)[number]

export const DEFAULT_SERVER_TAG = '8.4'
/** Seconds until the root login of a server must answer (DBS-032). */
export const SERVER_START_SECONDS = 120

/** A tag of the image `mysql`, or `mariadb:<tag>` or `postgres:<tag>` (decision 25). */
export const databaseServerTag = z
  .string()
  .regex(
    /^(?:(?:mysql|mariadb|postgres):)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/,
    'must be a tag of the image mysql, or `mariadb:TAG` or `postgres:TAG`',
  )

/** A server of the fleet, without its root password (DBS-028). */
export const databaseServer = z.strictObject({
  id,
  slug: databaseSlug,
  node_id: id,
  /** Null before its Process is stored. */
  process_id: nullableId,
  tag: z.string(),
  port: databasePort,
  status: z.enum(databaseServerStatuses),
  databases_count: z.int().min(0),
})
export type DatabaseServerData = z.output<typeof databaseServer>

/** What show adds. */
export const databaseServerDetail = databaseServer.extend({ databases: z.array(databaseConnection) })
