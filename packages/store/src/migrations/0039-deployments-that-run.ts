import { type Kysely, sql } from 'kysely'

/** The few deployments that run, without the outputs of all others. */
export async function deploymentsThatRun(db: Kysely<unknown>): Promise<void> {
  await sql`create index deployments_running on deployments (id) where status = 'running'`.execute(db)
}
