import { keepPublic, RUN, SILENT } from '#/databases/servers/sql/pgsql-run.ts'
import { roleOf } from '#/databases/servers/names.ts'
import type { Shared } from '#/databases/servers/sql/statements.ts'

// A session that uses a table keeps it from another owner, and everybody else from the table meanwhile.
const LOCK_TIMEOUT = "SET lock_timeout = '20s';"

const KINDS = ['TABLES', 'SEQUENCES', 'FUNCTIONS', 'TYPES', 'SCHEMAS'] as const

const OWNER_OF_DATABASE =
  'SELECT pg_get_userbyid(datdba) AS name FROM pg_database WHERE datname = current_database()'

/**
 * What several may write in belongs to a role of the database, which each session of theirs has: so what one makes belongs to all, and
 * nobody is a member of what owns another database.
 */
export function share({ database, owner, user }: Shared): readonly string[] {
  const role = roleOf(database)
  return [
    `SELECT 'CREATE ROLE "${role}" NOLOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}')${RUN}`,
    `\\connect "${database}"`,
    SILENT,
    LOCK_TIMEOUT,
    'BEGIN;',
    ...[owner, user].flatMap((member) => [
      `GRANT "${role}" TO "${member}";`,
      `ALTER ROLE "${member}" IN DATABASE "${database}" SET role = '${role}';`,
    ]),
    ...keepSearchPath(database, owner),
    `ALTER DATABASE "${database}" OWNER TO "${role}";`,
    ...[owner, user].flatMap((member) => reassign(member, `'${role}'`)),
    ...keepPublic(`'${role}'`),
    ...[role, user].flatMap((other) => copyDefaults(owner, other)),
    // A session may have given up the role.
    ...[owner, user].flatMap((member) =>
      KINDS.map((kind) => `ALTER DEFAULT PRIVILEGES FOR ROLE "${member}" GRANT ALL ON ${kind} TO "${role}";`),
    ),
    ...leave(owner, user),
    'COMMIT;',
  ]
}

/** SELECT on what is in every schema, and on what those who write will create. */
export const readerOf = ({ database, owner, user }: Shared): readonly string[] => [
  `\\connect "${database}"`,
  SILENT,
  LOCK_TIMEOUT,
  'BEGIN;',
  `SELECT format('REVOKE %I FROM "${user}"', name) FROM (${OWNER_OF_DATABASE}) it${RUN}`,
  `ALTER ROLE "${user}" IN DATABASE "${database}" RESET role;`,
  ...reassign(user, `(${OWNER_OF_DATABASE})`),
  ...keepPublic(`(${OWNER_OF_DATABASE})`),
  ...['ALL ON SCHEMA', ...READ.map((kind) => `ALL ON ALL ${kind} IN SCHEMA`)].map((what) =>
    inSchemas(`REVOKE ${what} %I FROM "${user}"`),
  ),
  ...['USAGE ON SCHEMA', ...READ.map((kind) => `SELECT ON ALL ${kind} IN SCHEMA`)].map((what) =>
    inSchemas(`GRANT ${what} %I TO "${user}"`),
  ),
  ...['USAGE ON SCHEMAS', ...READ.map((kind) => `SELECT ON ${kind}`)].map(
    (what) =>
      `SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT ${what} TO "${user}"', name) FROM (${writers(database)}) it${RUN}`,
  ),
  ...leave(owner, user),
  'COMMIT;',
]

const READ = ['TABLES', 'SEQUENCES'] as const

/** For each schema that the server has not made for itself. */
const inSchemas = (statement: string): string =>
  `SELECT format('${statement}', nspname) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'${RUN}`

const writers = (database: string): string =>
  `${OWNER_OF_DATABASE} UNION SELECT pg_get_userbyid(m.member) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid WHERE r.rolname = '${roleOf(database)}'`

/** The schema of its own that the login had first in its search path. */
const keepSearchPath = (database: string, user: string): readonly string[] => [
  `SELECT format('ALTER ROLE "${user}" IN DATABASE "${database}" SET search_path = "${user}", public') FROM pg_namespace WHERE nspname = '${user}' AND NOT EXISTS (SELECT FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) given WHERE (s.setrole = 0 OR r.rolname = '${user}') AND (s.setdatabase = 0 OR d.datname = current_database()) AND given LIKE 'search\\_path=%')${RUN}`,
]

/** In this database: whole databases go to another owner with it, and come back. */
const reassign = (from: string, to: string): readonly string[] => [
  // Nobody creates or drops one meanwhile.
  'LOCK TABLE pg_catalog.pg_database IN SHARE ROW EXCLUSIVE MODE;',
  `SELECT statement FROM (SELECT 0, format('REASSIGN OWNED BY "${from}" TO %I', ${to}) UNION ALL SELECT 1, format('ALTER DATABASE %I OWNER TO "${from}"', datname) FROM pg_database WHERE pg_get_userbyid(datdba) = '${from}' AND datname <> current_database()) each (place, statement) ORDER BY place${RUN}`,
]

/** Whoever is given what one role creates is given what the other does. */
const copyDefaults = (from: string, to: string): readonly string[] => [
  `SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE "${to}"%s GRANT %s ON %s TO %s', ' IN SCHEMA ' || quote_ident(n.nspname), x.privilege_type, CASE a.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' ELSE 'SCHEMAS' END, CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END) FROM pg_default_acl a LEFT JOIN pg_namespace n ON n.oid = a.defaclnamespace, aclexplode(a.defaclacl) x WHERE pg_get_userbyid(a.defaclrole) = '${from}' AND a.defaclobjtype IN ('r', 'S', 'f', 'T', 'n') AND (x.grantee = 0 OR pg_get_userbyid(x.grantee) NOT IN ('${from}', '${to}'))${RUN}`,
]

/**
 * An earlier version made whoever may write a member of the owner's role. It stays one while another database of the owner has nothing else
 * to let it in: that version granted it everything on each of them.
 */
const leave = (owner: string, user: string): readonly string[] => [
  `SELECT DISTINCT 'REVOKE "${owner}" FROM "${user}"' FROM pg_auth_members WHERE pg_get_userbyid(roleid) = '${owner}' AND pg_get_userbyid(member) = '${user}' AND NOT EXISTS (SELECT FROM pg_database d, aclexplode(d.datacl) x WHERE pg_get_userbyid(d.datdba) = '${owner}' AND pg_get_userbyid(x.grantee) = '${user}' AND x.privilege_type = 'CREATE')${RUN}`,
]
