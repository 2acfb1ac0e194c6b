import type { ProjectRecord, StepList, StepRecord } from '#/projects/record.ts'
import { type Database, fixedQuery, type NewRow, type Row } from '@fleet/store'

const rowsById = fixedQuery((db: Database, id: number) =>
  db.selectFrom('projects').selectAll().where('id', '=', id),
)

export const findProject = async (db: Database, id: number): Promise<ProjectRecord | undefined> =>
  (await rowsById(db, id))[0]

export const findBySlug = (db: Database, slug: string): Promise<ProjectRecord | undefined> =>
  db.selectFrom('projects').selectAll().where('slug', '=', slug).executeTakeFirst()

export const findByIdentity = (db: Database, identity: string): Promise<ProjectRecord | undefined> =>
  db.selectFrom('projects').selectAll().where('repository_identity', '=', identity).executeTakeFirst()

export const findByCode = (db: Database, code: string): Promise<ProjectRecord | undefined> =>
  db.selectFrom('projects').selectAll().where('code', '=', code).executeTakeFirst()

/**
 * Projects that hold one of the values which only one may hold. One statement sees one moment: asked one after the other,
 * a Project that another request stores meanwhile would be nobody's by slug and then somebody's by repository.
 */
export const findHolders = (
  db: Database,
  {
    slug,
    identity,
    code,
  }: { readonly slug: string; readonly identity: string; readonly code: string | undefined },
): Promise<ProjectRecord[]> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where((is) =>
      is.or([
        is('slug', '=', slug),
        is('repository_identity', '=', identity),
        ...(code === undefined ? [] : [is('code', '=', code)]),
      ]),
    )
    .execute()

/** By slug. */
export const listProjects = (db: Database): Promise<ProjectRecord[]> =>
  db.selectFrom('projects').selectAll().orderBy('slug').execute()

export async function listCodes(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('projects').select('code').execute()
  return new Set(rows.map((row) => row.code))
}

/** Undefined when a unique value of it is taken: the caller finds out which. */
export const insertProject = (db: Database, row: NewRow<'projects'>): Promise<ProjectRecord | undefined> =>
  db
    .insertInto('projects')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Undefined when the Project is gone. */
export const updateProject = (
  db: Database,
  id: number,
  values: Partial<Omit<NewRow<'projects'>, 'id'>>,
): Promise<ProjectRecord | undefined> =>
  db.updateTable('projects').set(values).where('id', '=', id).returningAll().executeTakeFirst()

/** Routes that lead to no Instance any more are still of the Project. By id. */
export const routesOf = (
  db: Database,
  projectId: number,
): Promise<ReadonlyArray<{ readonly id: number; readonly domain: string }>> =>
  db.selectFrom('routes').select(['id', 'domain']).where('project_id', '=', projectId).orderBy('id').execute()

export async function deleteProject(db: Database, id: number): Promise<boolean> {
  const deleted = await db.deleteFrom('projects').where('id', '=', id).executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** Makes others who change the same Project's lists wait until this transaction ends. False when the Project is gone. */
export async function lockProject(db: Database, id: number): Promise<boolean> {
  // A write that changes nothing takes the row lock in both dialects.
  const locked = await db.updateTable('projects').set({ id }).where('id', '=', id).executeTakeFirst()
  return locked.numUpdatedRows > 0n
}

/** In the order of the run. */
export const listSteps = (db: Database, projectId: number, list: StepList): Promise<StepRecord[]> =>
  db
    .selectFrom('project_steps')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('list', '=', list)
    .orderBy('position')
    .execute()

export const insertStep = async (db: Database, row: NewRow<'project_steps'>): Promise<number> =>
  (await db.insertInto('project_steps').values(row).returning('id').executeTakeFirstOrThrow()).id

export async function updateStep(
  db: Database,
  id: number,
  values: Partial<Pick<NewRow<'project_steps'>, 'command' | 'timeout_seconds' | 'position' | 'required'>>,
): Promise<void> {
  await db.updateTable('project_steps').set(values).where('id', '=', id).execute()
}

export async function deleteStep(db: Database, id: number): Promise<void> {
  await db.deleteFrom('project_steps').where('id', '=', id).execute()
}

export type DefinitionKind = Row<'project_definitions'>['kind']

/** By name. */
export const listDefinitions = (db: Database, projectId: number, kind: DefinitionKind) =>
  db
    .selectFrom('project_definitions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .orderBy('name')
    .execute()

/** By kind, then by name. */
export const allDefinitions = (
  db: Database,
  projectId: number,
): Promise<Pick<Row<'project_definitions'>, 'kind' | 'name'>[]> =>
  db
    .selectFrom('project_definitions')
    .select(['kind', 'name'])
    .where('project_id', '=', projectId)
    .orderBy('kind')
    .orderBy('name')
    .execute()

export const findDefinition = (
  db: Database,
  {
    projectId,
    kind,
    name,
  }: { readonly projectId: number; readonly kind: DefinitionKind; readonly name: string },
): Promise<Row<'project_definitions'> | undefined> =>
  db
    .selectFrom('project_definitions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()

export async function insertDefinition(db: Database, row: NewRow<'project_definitions'>): Promise<void> {
  await db.insertInto('project_definitions').values(row).execute()
}

/** False when it is gone. */
export async function updateDefinition(
  db: Database,
  id: string,
  values: Pick<Row<'project_definitions'>, 'environments' | 'spec' | 'variables'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('project_definitions')
    .set(values)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False when it is gone. */
export async function deleteDefinition(db: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_definitions')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export type DeployKeyRow = Row<'deploy_keys'>

/** The active one first. */
export const keysOf = (db: Database, projectId: number): Promise<DeployKeyRow[]> =>
  db
    .selectFrom('deploy_keys')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('status')
    .orderBy('id')
    .execute()

/** Projects with an active key, by id. */
export const projectsWithKey = (db: Database): Promise<ProjectRecord[]> =>
  db
    .selectFrom('projects')
    .innerJoin('deploy_keys', (join) =>
      join.onRef('deploy_keys.project_id', '=', 'projects.id').on('deploy_keys.status', '=', 'active'),
    )
    .selectAll('projects')
    .orderBy('projects.id')
    .execute()

/** Of a repository that no Project has yet. */
export const pendingKeyOf = (db: Database, identity: string): Promise<DeployKeyRow | undefined> =>
  db
    .selectFrom('deploy_keys')
    .selectAll()
    .where('repository', '=', identity)
    .where('status', '=', 'pending')
    .executeTakeFirst()

/** Keys of repositories that no Project has, made before a time. */
export async function deleteUnusedKeys(db: Database, before: string): Promise<void> {
  await db
    .deleteFrom('deploy_keys')
    .where('project_id', 'is', null)
    .where('created_at', '<', before)
    .execute()
}

/** The key of a repository that got a Project without it. */
export async function deleteKeyOf(db: Database, identity: string): Promise<void> {
  await db.deleteFrom('deploy_keys').where('repository', '=', identity).execute()
}

/** One that another request has made meanwhile stays. */
export async function insertKey(db: Database, row: NewRow<'deploy_keys'>): Promise<void> {
  await db
    .insertInto('deploy_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** In a transaction: the key takes the place of the active one. */
export async function activateKey(db: Database, projectId: number, id: number): Promise<void> {
  await db.deleteFrom('deploy_keys').where('project_id', '=', projectId).where('id', '!=', id).execute()
  await db.updateTable('deploy_keys').set({ status: 'active' }).where('id', '=', id).execute()
}

/** The key of its repository becomes that of the new Project. */
export async function adoptKey(db: Database, id: number, projectId: number): Promise<void> {
  await db
    .updateTable('deploy_keys')
    .set({ project_id: projectId, repository: null, status: 'active' })
    .where('id', '=', id)
    .execute()
}

export async function deleteKeys(db: Database, projectId: number): Promise<void> {
  await db.deleteFrom('deploy_keys').where('project_id', '=', projectId).execute()
}
