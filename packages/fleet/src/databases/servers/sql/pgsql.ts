import type { Secret } from '@fleet/kernel'
import { hexOf, type Statements } from '#/databases/servers/sql/statements.ts'

const pattern = (name: string): string => `'${name.replaceAll('_', '\\_')}%'`

// A statement that fails is written into the server's log, password and all.
const SILENT =
  'SET log_min_error_statement = panic; SET log_statement = none; SET log_min_duration_statement = -1;'

const passwordOf = (secret: Secret): string => `convert_from('\\x${hexOf(secret)}'::bytea, 'UTF8')`

/** What a query prints is run as the next statement. */
const RUN = ' \\gexec'

const setRole = (user: string, password: Secret, options: string): readonly string[] => [
  SILENT,
  `SELECT format('CREATE ROLE %I LOGIN', '${user}') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${user}')${RUN}`,
  `SELECT format('ALTER ROLE %I LOGIN ${options} PASSWORD %L', '${user}', ${passwordOf(password)})${RUN}`,
]

const createDatabase = (name: string, owner: string): readonly string[] => [
  `SELECT 'CREATE DATABASE "${name}" OWNER "${owner}"' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}')${RUN}`,
  // Everybody may connect to a new database.
  `REVOKE ALL ON DATABASE "${name}" FROM PUBLIC;`,
]

const named = (names: { readonly database: string; readonly test: string | null }): string =>
  names.test === null
    ? `datname = '${names.database}'`
    : `(datname = '${names.database}' OR datname LIKE ${pattern(names.test)})`

const dropRole = (user: string): readonly string[] => [
  `SELECT 'DROP OWNED BY "${user}"' WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = '${user}')${RUN}`,
  `DROP ROLE IF EXISTS "${user}";`,
]

export const pgsqlStatements: Statements = {
  taken: (names) =>
    [
      `SELECT 'database ' || datname FROM pg_database WHERE ${named(names)};`,
      `SELECT 'user ' || rolname FROM pg_roles WHERE rolname = '${names.user}';`,
    ].join('\n'),
  create: ({ database, test, user, password }) =>
    [
      // Parallel test runs create their databases themselves; nobody else may connect to them.
      ...setRole(user, password, test === null ? 'NOCREATEDB' : 'CREATEDB'),
      ...[database, ...(test === null ? [] : [test])].flatMap((name) => createDatabase(name, user)),
    ].join('\n'),
  databases: (names) => `SELECT datname FROM pg_database WHERE ${named(names)};`,
  // What somebody may goes with the database.
  granted: () => '',
  revoke: () => '',
  drop: (databases, user) =>
    [
      ...databases.map((name) => `DROP DATABASE IF EXISTS "${name}" WITH (FORCE);`),
      ...(user === null ? [] : dropRole(user)),
    ].join('\n'),
  sessions: (database) =>
    `SELECT format('SELECT pg_terminate_backend(%s);', pid) FROM pg_stat_activity WHERE datname = '${database}';`,
  grant: ({ database, user, password, isReadOnly }) =>
    [
      ...setRole(user, password, ''),
      `REVOKE ALL ON DATABASE "${database}" FROM "${user}";`,
      `GRANT CONNECT ON DATABASE "${database}" TO "${user}";`,
      `\\connect "${database}"`,
      SILENT,
      ...(isReadOnly ? readerOf(user) : writerOf(database, user)),
    ].join('\n'),
  dropUser: (user) => dropRole(user).join('\n'),
}

const OBJECTS = ['TABLES', 'SEQUENCES'] as const

/** SELECT on what is in the schema `public`, and on what its owner will create there. */
const readerOf = (user: string): readonly string[] => [
  `SELECT format('REVOKE %I FROM "${user}"', pg_get_userbyid(datdba)) FROM pg_database WHERE datname = current_database()${RUN}`,
  `REVOKE ALL ON SCHEMA public FROM "${user}";`,
  `GRANT USAGE ON SCHEMA public TO "${user}";`,
  ...OBJECTS.flatMap((kind) => [
    `REVOKE ALL ON ALL ${kind} IN SCHEMA public FROM "${user}";`,
    `GRANT SELECT ON ALL ${kind} IN SCHEMA public TO "${user}";`,
    `SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA public GRANT SELECT ON ${kind} TO "${user}"', pg_get_userbyid(datdba)) FROM pg_database WHERE datname = current_database()${RUN}`,
  ]),
]

/** Everything that the owner of the database may. */
const writerOf = (database: string, user: string): readonly string[] => [
  `GRANT ALL ON DATABASE "${database}" TO "${user}";`,
  `SELECT format('GRANT %I TO "${user}"', pg_get_userbyid(datdba)) FROM pg_database WHERE datname = current_database()${RUN}`,
]
