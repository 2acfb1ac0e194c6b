import { type Kysely, sql } from 'kysely'

/**
 * What a finished update of a Project found is of no more use, and the URL of an `origin` may hold a credential of its user. One that
 * goes on keeps what it needs.
 */
export async function originsOfFinishedUpdates(db: Kysely<unknown>): Promise<void> {
  const nothing = '{"origins":{},"branches":[],"switched":[],"production":{}}'
  await sql`update project_updates set found = ${nothing} where finished_at is not null`.execute(db)
}
