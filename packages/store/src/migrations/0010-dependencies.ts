import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** What Instances depend on: versions of packages shared by all, the last observation and the last attempt of each ecosystem. */
export async function dependencies(
  db: Kysely<unknown>,
  { identity, reference, text, options, keyed }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table dependency_packages (
      id ${identity},
      ecosystem ${text} not null,
      name ${text} not null,
      version ${text} not null,
      reference ${text},
      integrity ${text},
      digest ${text} not null unique
    ) ${options}`,
    sql`create index dependency_packages_name on dependency_packages (ecosystem, name)`,
    sql`create table dependency_observations (
      id ${identity},
      instance_id ${reference} not null references instances (id) on delete cascade,
      ecosystem ${text} not null,
      observed_at ${text} not null,
      project_root ${text} not null,
      source_reference ${text},
      file_hashes ${text} not null,
      format ${text},
      graph_digest ${text},
      unique (instance_id, ecosystem)
    ) ${options}`,
    sql`create table dependency_graphs (
      observation_id ${reference} not null primary key references dependency_observations (id) on delete cascade,
      graph ${text} not null
    ) ${options}`,
    sql`create table dependency_resolutions (
      observation_id ${reference} not null references dependency_observations (id) on delete cascade,
      position integer not null,
      package_id ${reference} not null references dependency_packages (id) on delete restrict,
      regular integer not null check (regular in (0, 1)),
      development integer not null check (development in (0, 1)),
      required_by integer,
      primary key (observation_id, position)
    ) ${keyed}`,
    sql`create index dependency_resolutions_package on dependency_resolutions (package_id, observation_id)`,
    sql`create table dependency_attempts (
      instance_id ${reference} not null references instances (id) on delete cascade,
      ecosystem ${text} not null,
      attempted_at ${text} not null,
      error_code ${text},
      error_detail ${text},
      primary key (instance_id, ecosystem)
    ) ${keyed}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
