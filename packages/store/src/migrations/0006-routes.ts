import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Domains, the Instances that they lead to, and what removed ones left on Nodes that did not answer. */
export async function routes(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table routes (
      id ${identity},
      kind ${text} not null,
      project_id ${reference} references projects (id) on delete restrict,
      node_id ${reference} references nodes (id) on delete restrict,
      cluster_id ${reference} references clusters (id) on delete restrict,
      generation_basis_node_id ${reference} references nodes (id) on delete restrict,
      domain ${text} not null unique,
      web_root ${text},
      provenance ${text} not null,
      publication ${text} not null,
      status ${text} not null,
      failed_step ${text},
      error_code ${text},
      replaces_route_id ${reference},
      replaced_by_route_id ${reference},
      replacement_step ${text},
      target_set_step ${text},
      process_id ${reference},
      upstream ${text},
      analytics_instance_id ${reference} references instances (id) on delete restrict,
      has_site integer not null default 0 check (has_site in (0, 1)),
      has_name integer not null default 0 check (has_name in (0, 1)),
      created_at ${text} not null,
      check ((node_id is null) <> (cluster_id is null))
    ) ${options}`,
    sql`create index routes_node on routes (node_id)`,
    sql`create index routes_cluster on routes (cluster_id)`,
    sql`create table route_targets (
      id ${identity},
      route_id ${reference} not null references routes (id) on delete cascade,
      instance_id ${reference} not null references instances (id) on delete restrict,
      position integer not null check (position >= 1),
      unique (route_id, instance_id),
      unique (route_id, position)
    ) ${options}`,
    sql`create index route_targets_instance on route_targets (instance_id)`,
    sql`create table route_residues (
      id ${identity},
      node_id ${reference} not null references nodes (id) on delete cascade,
      route_id ${reference} not null,
      domain ${text} not null,
      retained_steps ${text} not null,
      attempts integer not null default 0,
      created_at ${text} not null
    ) ${options}`,
    sql`create index route_residues_node on route_residues (node_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
