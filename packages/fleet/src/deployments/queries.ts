import { DEPLOYMENTS_KEPT } from '@fleet/contract'
import { condition, type Database, type NewRow, type Row } from '@fleet/store'

export type DeploymentRow = Row<'deployments'>

const SHOWN = [
  'id',
  'instance_id',
  'release',
  'branch',
  'commit_id',
  'started_at',
  'finished_at',
  'duration_ms',
  'status',
  'failed_step',
  'error_code',
  'selected_release',
  'triggered_by',
] as const satisfies readonly (keyof DeploymentRow)[]
/** A row without what it printed. */
export type ShownDeployment = Pick<DeploymentRow, (typeof SHOWN)[number]>

/** Stores the row and deletes all but the newest ones of its Instance (EV-082). */
export async function insertDeployment(db: Database, row: NewRow<'deployments'>): Promise<DeploymentRow> {
  const stored = await db.insertInto('deployments').values(row).returningAll().executeTakeFirstOrThrow()
  const kept = db
    .selectFrom('deployments')
    .select('id')
    .where('instance_id', '=', row.instance_id)
    .orderBy('id', 'desc')
    .limit(DEPLOYMENTS_KEPT)
  await db
    .deleteFrom('deployments')
    .where('instance_id', '=', row.instance_id)
    .where('id', 'not in', kept)
    .execute()
  return stored
}

export const updateDeployment = (
  db: Database,
  id: number,
  values: Partial<Omit<DeploymentRow, 'id'>>,
): Promise<DeploymentRow | undefined> =>
  db.updateTable('deployments').set(values).where('id', '=', id).returningAll().executeTakeFirst()

export const findDeployment = (db: Database, id: number): Promise<DeploymentRow | undefined> =>
  db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst()

/** Newest first. */
export const listDeployments = (db: Database, instanceId: number): Promise<ShownDeployment[]> =>
  db
    .selectFrom('deployments')
    .select(SHOWN)
    .where('instance_id', '=', instanceId)
    .orderBy('id', 'desc')
    .execute()

/** Runs that nobody has ended, oldest first. */
export const listRunning = (
  db: Database,
): Promise<Pick<DeploymentRow, 'id' | 'instance_id' | 'request_id'>[]> => runningOnes(db).execute()

/** The same, not yet asked: the condition is that of the index `deployments_running`, word for word. */
export const runningOnes = (db: Database) =>
  db
    .selectFrom('deployments')
    .select(['id', 'instance_id', 'request_id'])
    .where(condition("status = 'running'"))
    .orderBy('id')

/** Deployments of the commit that the end of their gateway cut off. */
export async function countInterrupted(db: Database, instanceId: number, commit: string): Promise<number> {
  const { count } = await db
    .selectFrom('deployments')
    .select((build) => build.fn.countAll<number | string>().as('count'))
    .where('instance_id', '=', instanceId)
    .where('commit_id', '=', commit)
    .where('error_code', '=', 'deployment.interrupted')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What new Instances of the Node start from. */
export async function storeSeed(db: Database, instanceId: number, commit: string): Promise<void> {
  await db.updateTable('instances').set({ seed_commit: commit }).where('id', '=', instanceId).execute()
}

export async function storeSelected(db: Database, instanceId: number, release: string | null): Promise<void> {
  await db.updateTable('instances').set({ selected_release: release }).where('id', '=', instanceId).execute()
}

export async function selectedRelease(db: Database, instanceId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('instances')
    .select('selected_release')
    .where('id', '=', instanceId)
    .executeTakeFirst()
  return row?.selected_release ?? undefined
}

/** Where a production Instance is, and the release that it runs. */
export interface ProductionHome {
  readonly id: number
  readonly name: string
  readonly production_user: string
  readonly production_home: string
  readonly selected_release: string | null
}

/** Of active production Instances on the Node, by id. */
export async function productionHomes(db: Database, nodeId: number): Promise<readonly ProductionHome[]> {
  const rows = await db
    .selectFrom('instances')
    .select(['id', 'name', 'production_user', 'production_home', 'selected_release'])
    .where('node_id', '=', nodeId)
    .where('environment', '=', 'production')
    .where('status', '=', 'active')
    .where('removal_status', 'is', null)
    .orderBy('id')
    .execute()
  return rows.flatMap(({ production_user: user, production_home: home, ...row }) =>
    user === null || home === null ? [] : [{ ...row, production_user: user, production_home: home }],
  )
}

/** Whether a run of the Instance has not ended. */
export const hasRunning = async (db: Database, instanceId: number): Promise<boolean> =>
  (await db
    .selectFrom('deployments')
    .select('id')
    .where('instance_id', '=', instanceId)
    .where('status', '=', 'running')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** A `default` with its newest deployment. */
export interface Watched {
  readonly instanceId: number
  readonly commit: string | null
  /** The gateway stopped meanwhile. */
  readonly isInterrupted: boolean
}

/** Active `default` Instances of development that have been deployed, with the commit that was tried last. */
export const listWatched = async (db: Database): Promise<readonly Watched[]> => {
  const newest = await db
    .selectFrom('deployments')
    .innerJoin('instances', 'instances.id', 'deployments.instance_id')
    .select((build) => build.fn.max('deployments.id').as('id'))
    .where('instances.name', '=', 'default')
    .where('instances.environment', '=', 'development')
    .where('instances.status', '=', 'active')
    .groupBy('deployments.instance_id')
    .execute()
  if (newest.length === 0) return []
  const rows = await db
    .selectFrom('deployments')
    .select(['instance_id', 'commit_id', 'status', 'error_code'])
    .where(
      'id',
      'in',
      newest.map(({ id }) => id),
    )
    .orderBy('instance_id')
    .execute()
  return rows
    .filter(({ status }) => status !== 'running')
    .map(({ instance_id, commit_id, error_code }) => ({
      instanceId: instance_id,
      commit: commit_id,
      isInterrupted: error_code === 'deployment.interrupted',
    }))
}
