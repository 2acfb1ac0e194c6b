import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { spine } from '#/migrations/0001-spine.ts'
import { clusters } from '#/migrations/0002-clusters.ts'
import { realNodes } from '#/migrations/0003-real-nodes.ts'
import { work } from '#/migrations/0004-work.ts'
import { instanceResidues } from '#/migrations/0005-instance-residues.ts'
import { routes } from '#/migrations/0006-routes.ts'
import { nodeCallers } from '#/migrations/0007-node-callers.ts'
import { setupProgress } from '#/migrations/0008-setup-progress.ts'
import { databases } from '#/migrations/0009-databases.ts'
import { dependencies } from '#/migrations/0010-dependencies.ts'
import { routeServing } from '#/migrations/0011-route-serving.ts'
import { processes } from '#/migrations/0012-processes.ts'
import { processContainers } from '#/migrations/0013-process-containers.ts'
import { schedules } from '#/migrations/0014-schedules.ts'
import { databaseServers } from '#/migrations/0015-database-servers.ts'
import { tools } from '#/migrations/0016-tools.ts'
import { routeRouters } from '#/migrations/0017-route-routers.ts'
import { deployments } from '#/migrations/0018-deployments.ts'
import { copiedDefinitions } from '#/migrations/0019-copied-definitions.ts'
import { instanceClones } from '#/migrations/0020-instance-clones.ts'
import { instanceRegistrations } from '#/migrations/0021-instance-registrations.ts'
import { databasesOfCreations } from '#/migrations/0022-databases-of-creations.ts'
import { deploymentRuns } from '#/migrations/0023-deployment-runs.ts'
import { routeEdge } from '#/migrations/0024-route-edge.ts'
import { projectUpdates } from '#/migrations/0025-project-updates.ts'
import { targetSets } from '#/migrations/0026-target-sets.ts'
import { instanceTransfers } from '#/migrations/0027-instance-transfers.ts'
import { instanceCopies } from '#/migrations/0028-instance-copies.ts'
import { webRootChanges } from '#/migrations/0029-web-root-changes.ts'
import { deployKeys } from '#/migrations/0030-deploy-keys.ts'
import { linkedWorktrees } from '#/migrations/0031-linked-worktrees.ts'
import { tlsOfDatabases } from '#/migrations/0032-tls-of-databases.ts'
import { githubAppOfTheGateway } from '#/migrations/0033-github-app.ts'
import { connectionsOfProcesses } from '#/migrations/0034-connections-of-processes.ts'
import { releasesOfResidues } from '#/migrations/0035-releases-of-residues.ts'
import { usersOfResidues } from '#/migrations/0036-users-of-residues.ts'
import { rolesOfDatabaseUsers } from '#/migrations/0037-roles-of-database-users.ts'
import { originsOfFinishedUpdates } from '#/migrations/0038-origins-of-finished-updates.ts'
import { deploymentsThatRun } from '#/migrations/0039-deployments-that-run.ts'
import { type ColumnTypes, columnTypes, type DialectName } from '#/migrations/types.ts'
import { hasTable } from '#/has-table.ts'
import type { Tables } from '#/schema.ts'

type Up = (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>

/** Every change of the schema in the order of its name. A released one is never edited: the next change gets a new file. */
const MIGRATIONS: Readonly<Record<string, Up>> = {
  '0001-spine': spine,
  '0002-clusters': clusters,
  '0003-real-nodes': realNodes,
  '0004-work': work,
  '0005-instance-residues': instanceResidues,
  '0006-routes': routes,
  '0007-node-callers': nodeCallers,
  '0008-setup-progress': setupProgress,
  '0009-databases': databases,
  '0010-dependencies': dependencies,
  '0011-route-serving': routeServing,
  '0012-processes': processes,
  '0013-process-containers': processContainers,
  '0014-schedules': schedules,
  '0015-database-servers': databaseServers,
  '0016-tools': tools,
  '0017-route-routers': routeRouters,
  '0018-deployments': deployments,
  '0019-copied-definitions': copiedDefinitions,
  '0020-instance-clones': instanceClones,
  '0021-instance-registrations': instanceRegistrations,
  '0022-databases-of-creations': databasesOfCreations,
  '0023-deployment-runs': deploymentRuns,
  '0024-route-edge': routeEdge,
  '0025-project-updates': projectUpdates,
  '0026-target-sets': targetSets,
  '0027-instance-transfers': instanceTransfers,
  '0028-instance-copies': instanceCopies,
  '0029-web-root-changes': webRootChanges,
  '0030-deploy-keys': deployKeys,
  '0031-linked-worktrees': linkedWorktrees,
  '0032-tls-of-databases': tlsOfDatabases,
  '0033-github-app': githubAppOfTheGateway,
  '0034-connections-of-processes': connectionsOfProcesses,
  '0035-releases-of-residues': releasesOfResidues,
  '0036-users-of-residues': usersOfResidues,
  '0037-roles-of-database-users': rolesOfDatabaseUsers,
  '0038-origins-of-finished-updates': originsOfFinishedUpdates,
  '0039-deployments-that-run': deploymentsThatRun,
}

/** The database could not be brought to this version's schema. It is as it was before. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed'
}

/**
 * Brings the schema up to date in one transaction. Two gateways that start at once on PostgreSQL wait for each other.
 * Throws MigrationFailed, also for a database that a newer version has already migrated.
 */
export async function migrate(db: Kysely<Tables>, dialect: DialectName): Promise<void> {
  if (await isUpToDate(db, dialect)) return
  const migrator = await migratorOf(db, dialect)
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  const reason = error instanceof Error ? error.message : 'no reason given'
  throw new MigrationFailed(`the database schema could not be migrated: ${reason}`, {
    cause: error,
  })
}

// The migrator reads the whole schema and takes its lock before it knows that nothing is left to do.
const isUpToDate = async (db: Kysely<Tables>, dialect: DialectName): Promise<boolean> => {
  if (!(await hasTable(db, dialect, 'kysely_migration'))) return false
  const applied = await appliedMigrations(db)
  const own = Object.keys(MIGRATIONS)
  return applied.length === own.length && own.every((name, index) => name === applied[index])
}

/** Names of the migrations that a database has, in their order. */
export async function appliedMigrations(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Whether these are the first migrations of this version: no others can be brought up to date. */
export function isHistory(names: readonly string[]): boolean {
  const own = Object.keys(MIGRATIONS)
  return names.every((name, index) => name === own[index])
}

/**
 * Makes the schema that these migrations make, on an empty database and inside the caller's transaction. False, and nothing
 * happens, when they are not the first ones of this version.
 */
export async function migrateTo(
  db: Kysely<Tables>,
  dialect: DialectName,
  names: readonly string[],
): Promise<boolean> {
  const last = names.at(-1)
  if (last === undefined || !isHistory(names)) return false
  const migrator = await migratorOf(db, dialect)
  const { error } = await migrator.migrateTo(last)
  if (error !== undefined) throw new MigrationFailed('the schema could not be made', { cause: error })
  return true
}

async function migratorOf(db: Kysely<Tables>, dialect: DialectName): Promise<Migrator> {
  const provider = { getMigrations: async () => migrationsFor(dialect) }
  // Unless it is told its schema, it takes the tables of another Kysely in another schema for its own.
  const schema = dialect === 'postgres' ? { migrationTableSchema: await currentSchema(db) } : {}
  return new Migrator({ db, provider, ...schema })
}

/**
 * Where unqualified names are made, which is where the records are. Throws MigrationFailed when the database has no schema for them,
 * and when one of the search path has come before that of the records: whoever made tables there or looked for them would begin anew.
 */
export async function currentSchema(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ name: string | null; ofRecords: string | null; role: string }>`
    select current_schema() as name, quote_ident(current_user) as role, (
      select quote_ident(n.nspname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.oid = to_regclass('kysely_migration') and n.nspname <> current_schema()
    ) as "ofRecords"`.execute(db)
  const found = rows[0]
  if (!found?.name) throw new MigrationFailed('no schema of the search path exists in the database')
  const { name, ofRecords, role } = found
  if (ofRecords === null) return name
  throw new MigrationFailed(
    `the records are in the schema ${ofRecords} of the database, and the schema ${name} has come before it in the search path: run ALTER ROLE ${role} SET search_path = ${ofRecords} in it`,
  )
}

const migrationsFor = (dialect: DialectName): Record<string, Migration> => {
  const types = columnTypes(dialect)
  const entries = Object.entries(MIGRATIONS)
  return Object.fromEntries(entries.map(([name, up]) => [name, { up: (db) => up(db, types) }]))
}
