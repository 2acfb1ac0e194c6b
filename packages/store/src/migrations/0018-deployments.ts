import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** What the deployments of an Instance take and run, and which release it runs. */
export async function deployments(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  for (const column of ['deploy_steps', 'deployment_branch', 'selected_release'])
    await sql`alter table instances add column ${sql.ref(column)} ${text}`.execute(db)
  await sql`alter table project_steps add column required integer not null default 1 check (required in (0, 1))`.execute(
    db,
  )
}
