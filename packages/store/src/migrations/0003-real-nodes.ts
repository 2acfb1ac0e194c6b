import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** What managed machines need besides their records: firewall rules, role settings, agent secrets, applied artifacts. */
export async function realNodes(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`alter table nodes add column agent_secret_hash ${text}`,
    sql`alter table nodes add column removal ${text}`,
    sql`alter table nodes add column updating ${text}`,
    sql`alter table nodes add column provisioned_at ${text}`,
    sql`update nodes set provisioned_at = created_at`,
    sql`alter table node_roles add column settings ${text}`,
    sql`alter table node_roles add column claimed_at ${text}`,
    sql`create table firewall_rules (
      id ${identity},
      node_id ${reference} not null references nodes (id) on delete cascade,
      name ${text} not null,
      action ${text} not null check (action in ('allow', 'deny')),
      source ${text} not null,
      protocol ${text} not null check (protocol in ('tcp', 'udp')),
      port ${text} not null,
      status ${text} not null,
      backend_status ${text},
      failed_step ${text},
      error_code ${text},
      created_at ${text} not null,
      unique (node_id, name)
    ) ${options}`,
    sql`create table node_artifacts (
      node_id ${reference} not null references nodes (id) on delete cascade,
      artifact ${text} not null,
      digest ${text} not null,
      applied_at ${text} not null,
      primary key (node_id, artifact)
    ) ${options}`,
    sql`create table tool_managers (
      id ${identity},
      node_id ${reference} not null references nodes (id) on delete cascade,
      name ${text} not null,
      status ${text} not null,
      installed_version ${text},
      failed_step ${text},
      error_code ${text},
      created_at ${text} not null,
      unique (node_id, name)
    ) ${options}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
