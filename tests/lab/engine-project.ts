import type { TestContext } from 'node:test'
import { startGitServer } from '@fleet/testing/git-server'
import type { EngineWorld, Server } from './engine-world.ts'
import { trust } from './trust.ts'

/** A Project of its own with an Instance `default`. */
export async function addEmptyProject(
  { fleet, host }: EngineWorld,
  context: TestContext,
  slug: string,
  ...words: readonly string[]
): Promise<string> {
  const git = await startGitServer([slug], fleet.lab.addresses.machine)
  context.after(() => git[Symbol.asyncDispose]())
  git.commit(slug, 'main', { '.env.example': 'APP_NAME=shop\n', '.gitignore': '/*.sqlite\n' })
  await trust(git.caFile, slug, fleet.gateway.host, host)
  await fleet.record('project:create', slug, git.urlOf(slug), '--type', 'node-package', '--root', '.')
  await fleet.record('instance:create', slug, host.name, 'default', ...words)
  return slug
}

/** The same, whose Instance has a database on the server. */
export const addProject = (world: EngineWorld, context: TestContext, { slug }: Server): Promise<string> =>
  addEmptyProject(world, context, slug, `--database-server=${slug}`)

/** Name of the database that an Instance of a Project has. */
export const databaseOf = (project: string, instance: string): string =>
  `${project}_${instance}`.replaceAll('-', '_')

/** What an Instance has on the server. */
export const ownOf = (project: string, instance: string): readonly string[] => {
  const name = databaseOf(project, instance)
  return [`database ${name}`, `database ${name}_test`, `user ${name}`]
}

/** Statements that make a table of so many rows. */
export const rowsOf = (engine: Server['engine'], rows: number): string =>
  engine === 'pgsql'
    ? `CREATE TABLE t (id int PRIMARY KEY, s text); INSERT INTO t SELECT n, repeat('x', 200) FROM generate_series(1, ${rows}) n;`
    : `SET max_recursive_iterations = ${rows}; CREATE TABLE t (id int PRIMARY KEY, s text); INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i, REPEAT('x', 200) FROM n;`

/** What the rows of such a table come to. */
export const SUM = 'SELECT count(*), sum(id), sum(length(s)) FROM t;'
