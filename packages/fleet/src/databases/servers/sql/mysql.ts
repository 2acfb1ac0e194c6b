import type { Secret } from '@fleet/kernel'
import { literally, testPattern } from '#/databases/servers/names.ts'
import { hexOf, type Names, type Statements } from '#/databases/servers/sql/statements.ts'

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

/** What the client prints after a backslash; itself as it is. */
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', 0: '\0' }

const named = (names: Names): string =>
  names.test === null
    ? `schema_name = '${names.database}'`
    : `(schema_name = '${names.database}' OR schema_name LIKE ${likePattern(names.test)})`

/** What is granted together: a database, and all databases that begin with the name of its test database. */
const patternsOf = ({ database, test }: Names): ReadonlyArray<readonly [kind: string, pattern: string]> => [
  ['grant', literally(database)],
  ...(test === null ? [] : [['grant-test', testPattern(test)] as const]),
]

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
      ...patternsOf({ database, test }).map(
        ([, pattern]) => `GRANT ALL PRIVILEGES ON \`${pattern}\`.* TO '${user}'@'%';`,
      ),
    ].join('\n'),
  databases: (names) => `SELECT schema_name FROM information_schema.schemata WHERE ${named(names)};`,
  nameIn: (row) => row.replace(/\\(.)/gs, (_, each: string) => ESCAPED[each] ?? each),
  granted: (names) =>
    patternsOf(names)
      .map(
        ([kind, pattern]) =>
          // Every user of the fleet logs in from anywhere and has such a name.
          `SELECT CONCAT('${kind} ', user) FROM mysql.db WHERE db = '${pattern}' AND host = '%' AND user REGEXP '^[A-Za-z0-9_]+$';`,
      )
      .join('\n'),
  revoke: (names, rows) =>
    patternsOf(names)
      .flatMap(([kind, pattern]) =>
        rows
          .map((row) => row.split(' '))
          .filter(([each]) => each === kind)
          .map(([, user]) => `REVOKE ALL PRIVILEGES ON \`${pattern}\`.* FROM '${user}'@'%';`),
      )
      .join('\n'),
  drop: (databases, user) =>
    [
      // The client would take what follows a backslash for a part of the name.
      ...(databases.some((name) => name.includes('\\'))
        ? ["SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES';"]
        : []),
      ...databases.map((name) => `DROP DATABASE IF EXISTS \`${name.replaceAll('`', '``')}\`;`),
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
