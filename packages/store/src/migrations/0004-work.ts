import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Work without a request: what is to be done, for whom, when next, and how often it was tried. */
export async function work(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table work (
      id ${identity},
      kind ${text} not null,
      key ${text},
      payload ${text} not null,
      caller_node_id ${reference},
      status ${text} not null check (status in ('waiting', 'running', 'dead')),
      due_at ${text} not null,
      attempts ${reference} not null default 0,
      added_again ${reference} not null default 0 check (added_again in (0, 1)),
      request_id ${text} not null,
      token ${text},
      gateway ${text},
      lease_expires_at ${text},
      error_code ${text},
      created_at ${text} not null,
      unique (kind, key)
    ) ${options}`,
    sql`create index work_due on work (status, due_at)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
