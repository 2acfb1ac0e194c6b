import type { Secret } from '@fleet/kernel'
import { roleOf } from '#/databases/servers/names.ts'
import { keepPublic, RUN, SILENT } from '#/databases/servers/sql/pgsql-run.ts'
import { readerOf, share } from '#/databases/servers/sql/pgsql-share.ts'
import { hexOf, type Names, type Statements } from '#/databases/servers/sql/statements.ts'

const pattern = (name: string): string => `'${name.replaceAll('_', '\\_')}%'`

const passwordOf = (secret: Secret): string => `convert_from('\\x${hexOf(secret)}'::bytea, 'UTF8')`

const setRole = (user: string, password: Secret, options: string): readonly string[] => [
  SILENT,
  `SELECT format('CREATE ROLE %I LOGIN', '${user}') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${user}')${RUN}`,
  `SELECT format('ALTER ROLE %I LOGIN ${options} PASSWORD %L', '${user}', ${passwordOf(password)})${RUN}`,
]

const createDatabase = (name: string, owner: string): readonly string[] => [
  `SELECT 'CREATE DATABASE "${name}" OWNER "${owner}" TEMPLATE template0' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}')${RUN}`,
  // Everybody may connect to a new database.
  `REVOKE ALL ON DATABASE "${name}" FROM PUBLIC;`,
]

/**
 * Everybody may connect to it by themselves, and who is connected keeps others from a new database. Once, and by one session at a time:
 * of two that change one row of a catalog the later one fails.
 */
const CLOSE_TEMPLATE = `SELECT 'BEGIN', 'LOCK TABLE pg_catalog.pg_database IN SHARE ROW EXCLUSIVE MODE', 'REVOKE ALL ON DATABASE template1 FROM PUBLIC', 'COMMIT' FROM pg_database WHERE datname = 'template1' AND EXISTS (SELECT FROM aclexplode(coalesce(datacl, acldefault('d', datdba))) x WHERE x.grantee = 0)${RUN}`

const named = (names: Names): string =>
  names.test === null
    ? `datname = '${names.database}'`
    : `(datname = '${names.database}' OR datname LIKE ${pattern(names.test)})`

/** Nobody drops a template. */
const drop = (which: string): readonly string[] => [
  `SELECT format('ALTER DATABASE %I IS_TEMPLATE false', datname) FROM pg_database WHERE datistemplate AND ${which}${RUN}`,
  `SELECT format('DROP DATABASE %I WITH (FORCE)', datname) FROM pg_database WHERE ${which}${RUN}`,
]

const owned = (user: string): string => `pg_get_userbyid(datdba) = '${user}'`

/** A login that may create databases gives them any names. */
const dropOwned = (user: string, others: readonly Names[]): readonly string[] =>
  drop([owned(user), ...others.map((names) => `NOT (${named(names)})`)].join(' AND '))

/** What it still owns goes to root: no owner of a database can be dropped. */
const dropRole = (user: string): readonly string[] => [
  `SELECT format('ALTER DATABASE %I OWNER TO postgres', datname) FROM pg_database WHERE ${owned(user)}${RUN}`,
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
      CLOSE_TEMPLATE,
      ...[database, ...(test === null ? [] : [test])].flatMap((name) => createDatabase(name, user)),
      `\\connect "${database}"`,
      ...keepPublic(`'${user}'`),
    ].join('\n'),
  databases: (names) =>
    `SELECT encode(convert_to(datname, 'UTF8'), 'hex') FROM pg_database WHERE ${named(names)};`,
  nameIn: (row) => Buffer.from(row, 'hex').toString('utf8'),
  // What somebody may goes with the database, but for the role of those who write in it.
  granted: ({ database }) =>
    `SELECT 'grant ' || rolname FROM pg_roles WHERE rolname = '${roleOf(database)}';`,
  revoke: ({ database }, rows) => (rows.length === 0 ? '' : dropRole(roleOf(database)).join('\n')),
  drop: (databases, user) =>
    [
      ...databases.flatMap((name) => drop(`datname = '${name.replaceAll("'", "''")}'`)),
      ...(user === null ? [] : dropRole(user)),
    ].join('\n'),
  sessions: (database) =>
    `SELECT format('SELECT pg_terminate_backend(%s);', pid) FROM pg_stat_activity WHERE datname = '${database}';`,
  grant: ({ password, isReadOnly, ...shared }) => {
    const { database, user } = shared
    return [
      ...setRole(user, password, ''),
      `REVOKE ALL ON DATABASE "${database}" FROM "${user}";`,
      `GRANT CONNECT ON DATABASE "${database}" TO "${user}";`,
      ...(isReadOnly ? readerOf(shared) : share(shared)),
    ].join('\n')
  },
  share: (shared) =>
    [
      `REVOKE ALL ON DATABASE "${shared.database}" FROM "${shared.user}";`,
      `GRANT CONNECT ON DATABASE "${shared.database}" TO "${shared.user}";`,
      ...share(shared),
    ].join('\n'),
  dropUser: (user, others) => [...dropOwned(user, others), ...dropRole(user)].join('\n'),
}
