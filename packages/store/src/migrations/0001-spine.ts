import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Everything the first version stores. */
export async function spine(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const statements = [
    ...nodes(types),
    ...projects(types),
    ...instances(types),
    ...environment(types),
    ...activities(types),
    ...gateway(types),
  ]
  for (const statement of statements) await statement.execute(db)
}

type Statements = readonly RawBuilder<unknown>[]

const nodes = ({ identity, reference, text, options }: ColumnTypes): Statements => [
  sql`create table nodes (
    id ${identity},
    name ${text} not null unique,
    status ${text} not null,
    platform ${text},
    architecture ${text},
    tld ${text},
    cluster_id ${reference},
    public_ssh_host ${text},
    public_ssh_port integer,
    "user" ${text} not null,
    user_home ${text} not null,
    wireguard_ip ${text} unique,
    wireguard_public_key ${text},
    wireguard_endpoint_override ${text},
    dns_server_override ${text},
    lan_ip ${text},
    ssh_host_fingerprint ${text},
    ssh_port integer not null,
    apps_path ${text},
    failed_step ${text},
    error_code ${text},
    created_at ${text} not null
  ) ${options}`,
  sql`create table node_roles (
    id ${identity},
    node_id ${reference} not null references nodes (id) on delete cascade,
    role ${text} not null,
    status ${text} not null,
    failed_step ${text},
    error_code ${text},
    created_at ${text} not null,
    unique (node_id, role)
  ) ${options}`,
  sql`create table node_grants (
    consumer_node_id ${reference} not null references nodes (id) on delete cascade,
    serving_node_id ${reference} not null references nodes (id) on delete cascade,
    created_at ${text} not null,
    primary key (consumer_node_id, serving_node_id)
  ) ${options}`,
  sql`create index node_grants_serving on node_grants (serving_node_id)`,
]

const projects = ({ identity, reference, text, options }: ColumnTypes): Statements => [
  sql`create table projects (
    id ${identity},
    slug ${text} not null unique,
    name ${text} not null,
    code ${text} not null unique,
    type ${text} not null,
    repository_url ${text} not null,
    repository_identity ${text} not null unique,
    source_access ${text} not null,
    default_branch ${text},
    root ${text},
    defaults ${text},
    task_check ${text},
    task_workspace_routed integer not null check (task_workspace_routed in (0, 1)),
    task_compute ${text} not null,
    review_and_merge integer not null check (review_and_merge in (0, 1)),
    merge_check ${text},
    created_at ${text} not null
  ) ${options}`,
  sql`create table project_steps (
    id ${identity},
    project_id ${reference} not null references projects (id) on delete cascade,
    list ${text} not null,
    name ${text} not null,
    command ${text} not null,
    timeout_seconds integer not null,
    position integer not null,
    created_at ${text} not null,
    unique (project_id, list, name)
  ) ${options}`,
  sql`create table node_exclusions (
    project_id ${reference} not null references projects (id) on delete cascade,
    node_id ${reference} not null references nodes (id) on delete cascade,
    created_at ${text} not null,
    primary key (project_id, node_id)
  ) ${options}`,
  sql`create index node_exclusions_node on node_exclusions (node_id)`,
]

// The unique columns begin with the Project and the Node, so both also serve their lists.
const instances = ({ identity, reference, text, options }: ColumnTypes): Statements => [
  sql`create table instances (
    id ${identity},
    project_id ${reference} not null references projects (id) on delete restrict,
    node_id ${reference} not null references nodes (id) on delete restrict,
    name ${text} not null,
    environment ${text} not null,
    source_layout ${text},
    checkout_path ${text} not null,
    production_user ${text},
    production_home ${text},
    root ${text},
    selected_branch ${text},
    branch_override ${text},
    starting_commit ${text},
    detached integer not null check (detached in (0, 1)),
    migration_required integer not null check (migration_required in (0, 1)),
    status ${text} not null,
    vite_port integer,
    preparation_id ${text} not null,
    profile ${text},
    failed_step ${text},
    error_code ${text},
    setup ${text},
    removal_operation_id ${text},
    removal_force integer check (removal_force in (0, 1)),
    removal_status ${text},
    removal_step ${text},
    removal_completed integer,
    removal_error_code ${text},
    removal_started_at ${text},
    created_at ${text} not null,
    unique (project_id, name),
    unique (node_id, checkout_path),
    unique (node_id, vite_port)
  ) ${options}`,
]

const environment = ({ reference, text, options }: ColumnTypes): Statements => [
  sql`create table environment_values (
    instance_id ${reference} not null references instances (id) on delete cascade,
    key ${text} not null,
    value ${text} not null,
    updated_at ${text} not null,
    primary key (instance_id, key)
  ) ${options}`,
  sql`create table environment_files (
    instance_id ${reference} not null primary key references instances (id) on delete cascade,
    known_keys ${text} not null,
    pending_keys ${text},
    synced_at ${text}
  ) ${options}`,
]

// No foreign keys: the history outlives the Nodes it names.
const activities = ({ identity, reference, text, options }: ColumnTypes): Statements => [
  sql`create table activities (
    id ${identity},
    request_id ${text} not null,
    command ${text} not null,
    caller_node_id ${reference},
    target_node_id ${reference},
    caller_ip ${text},
    status ${text} not null,
    duration_ms integer,
    exit_code integer,
    error_code ${text},
    subject_type ${text},
    subject_id ${text},
    properties ${text} not null,
    occurred_at ${text} not null
  ) ${options}`,
  sql`create index activities_request on activities (request_id)`,
  sql`create index activities_command on activities (command, id)`,
  sql`create index activities_caller on activities (caller_node_id, id)`,
  sql`create index activities_target on activities (target_node_id, id)`,
  // Partial: nearly every row has succeeded, and an index over those would cost each read a write for nothing.
  sql`create index activities_unsuccessful on activities (status, id) where status <> 'succeeded'`,
]

const gateway = ({ text, options }: ColumnTypes): Statements => [
  sql`create table locks (
    name ${text} primary key,
    token ${text} not null,
    gateway ${text} not null,
    operation ${text} not null,
    request_id ${text} not null,
    since ${text} not null,
    expires_at ${text} not null
  ) ${options}`,
  sql`create table facts (
    name ${text} primary key,
    value ${text} not null
  ) ${options}`,
]
