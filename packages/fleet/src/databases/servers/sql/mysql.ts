import type { Secret } from '@fleet/kernel'
import { hexOf, type Statements } from '#/databases/servers/sql/statements.ts'

/** `_` stands for any character in the name of a grant. */
const literally = (name: string): string => name.replaceAll('_', '\\_')
const likePattern = (name: string): string => `'${literally(name)}%'`

/** Of the user: a prepared statement, because its text has the password. */
const withPassword = (statement: string, user: string, password: Secret): readonly string[] => [
  `SET @fleet = CONCAT(${quoted(`${statement} '${user}'@'%' IDENTIFIED BY `)}, QUOTE(CONVERT(0x${hexOf(password)} USING utf8mb4)));`,
  'PREPARE fleet FROM @fleet;',
  'EXECUTE fleet;',
  'DEALLOCATE PREPARE fleet;',
  'SET @fleet = NULL;',
]
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const setUser = (user: string, password: Secret): readonly string[] => [
  // QUOTE escapes with backslashes, which a server without them would read as text.
  "SET SESSION sql_mode = '';",
  ...withPassword('CREATE USER IF NOT EXISTS', user, password),
  ...withPassword('ALTER USER', user, password),
]

const named = (names: { readonly database: string; readonly test: string | null }): string =>
  names.test === null
    ? `schema_name = '${names.database}'`
    : `(schema_name = '${names.database}' OR schema_name LIKE ${likePattern(names.test)})`

/** For MySQL and MariaDB. */
export const mysqlStatements: Statements = {
  taken: (names) =>
    [
      `SELECT CONCAT('database ', schema_name) FROM information_schema.schemata WHERE ${named(names)};`,
      `SELECT DISTINCT CONCAT('user ', user) FROM mysql.user WHERE user = '${names.user}';`,
    ].join('\n'),
  create: ({ database, test, user, password }) =>
    [
      ...[database, ...(test === null ? [] : [test])].map(
        (name) => `CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4;`,
      ),
      ...setUser(user, password),
      `GRANT ALL PRIVILEGES ON \`${literally(database)}\`.* TO '${user}'@'%';`,
      ...(test === null ? [] : [`GRANT ALL PRIVILEGES ON \`${literally(test)}%\`.* TO '${user}'@'%';`]),
    ].join('\n'),
  databases: (names) => `SELECT schema_name FROM information_schema.schemata WHERE ${named(names)};`,
  drop: (databases, user) =>
    [
      ...databases.map((name) => `DROP DATABASE IF EXISTS \`${name}\`;`),
      ...(user === null ? [] : [`DROP USER IF EXISTS '${user}'@'%';`]),
    ].join('\n'),
  sessions: (database) =>
    `SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE db = '${database}';`,
  grant: ({ database, user, password, isReadOnly }) => {
    const on = `ON \`${literally(database)}\`.*`
    return [
      ...setUser(user, password),
      // A privilege that nobody has cannot be revoked.
      `GRANT ALL PRIVILEGES ${on} TO '${user}'@'%';`,
      `REVOKE ALL PRIVILEGES ${on} FROM '${user}'@'%';`,
      `GRANT ${isReadOnly ? 'SELECT' : 'ALL PRIVILEGES'} ${on} TO '${user}'@'%';`,
    ].join('\n')
  },
  dropUser: (user) => `DROP USER IF EXISTS '${user}'@'%';`,
}
