import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Which Instance has the repository of each linked worktree, and what new ones begin with. */
export async function linkedWorktrees(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table instances add column worktree_of integer`.execute(db)
  await sql`alter table instances add column seed_commit ${text}`.execute(db)
}
