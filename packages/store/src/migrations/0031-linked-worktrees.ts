import { type Kysely, sql } from 'kysely'

/** Which Instance has the repository of each linked worktree. */
export async function linkedWorktrees(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column worktree_of integer`.execute(db)
}
