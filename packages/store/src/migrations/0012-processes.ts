import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Commands that keep running, and the units that removed ones left on Nodes which did not answer. */
export async function processes(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table processes (
      id ${identity},
      instance_id ${reference} references instances (id) on delete restrict,
      node_id ${reference} references nodes (id) on delete restrict,
      name ${text} not null,
      runtime ${text} not null,
      runtime_config ${text} not null,
      working_directory ${text},
      account ${text},
      restart_policy ${text} not null,
      keep_alive integer not null check (keep_alive in (0, 1)),
      desired_state ${text} not null,
      status ${text} not null,
      failed_step ${text},
      error_code ${text},
      observed_status ${text},
      observed_at ${text},
      created_at ${text} not null,
      check ((instance_id is null) <> (node_id is null)),
      unique (instance_id, name),
      unique (node_id, name)
    ) ${options}`,
    sql`create table process_residues (
      id ${identity},
      node_id ${reference} not null references nodes (id) on delete cascade,
      process_id ${reference} not null,
      name ${text} not null,
      created_at ${text} not null
    ) ${options}`,
    sql`create index process_residues_node on process_residues (node_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
