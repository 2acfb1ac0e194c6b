import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Checkouts of Instances whose record was removed while their Node did not answer; they go with the Node. */
export async function instanceResidues(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table instance_residues (
      id ${identity},
      node_id ${reference} not null references nodes (id) on delete cascade,
      instance_id ${reference} not null,
      checkout_path ${text} not null,
      preparation_id ${text} not null,
      quarantine_id ${text} not null,
      created_at ${text} not null
    ) ${options}`,
    sql`create index instance_residues_node on instance_residues (node_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
