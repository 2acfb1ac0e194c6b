import assert from 'node:assert/strict'
import { forEachDialect, openTestStore } from '@fleet/testing'
import type { Row, Tables } from '#/index.ts'

type Word<R> = { readonly [C in keyof R & string]: null extends R[C] ? `${C}?` : C }[keyof R & string]
type WordsOf<S extends string> = S extends `${infer Head} ${infer Rest}` ? Head | WordsOf<Rest> : S
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : Exclude<B, A>) : Exclude<A, B>

/** Every table with its columns, `?` after those that may be null. */
const SCHEMA = {
  nodes:
    'id name status platform? architecture? tld? cluster_id? public_ssh_host? public_ssh_port? user user_home wireguard_ip? wireguard_public_key? wireguard_endpoint_override? dns_server_override? lan_ip? ssh_host_fingerprint? ssh_port apps_path? failed_step? error_code? agent_secret_hash? removal? updating? provisioned_at? created_at',
  firewall_rules:
    'id node_id name action source protocol port status backend_status? failed_step? error_code? created_at',
  node_artifacts: 'node_id artifact digest applied_at',
  node_callers: 'node_id accounts',
  instance_residues: 'id node_id instance_id checkout_path preparation_id quarantine_id created_at',
  routes:
    'id kind project_id? node_id? cluster_id? generation_basis_node_id? domain web_root? provenance publication status failed_step? error_code? replaces_route_id? replaced_by_route_id? replacement_step? target_set_step? edge_step? process_id? upstream? analytics_instance_id? has_site has_name created_at has_source php_version? web_root_change?',
  route_targets: 'id route_id instance_id position phase?',
  route_target_sets: 'route_id target_set created_at',
  route_routers: 'id route_id node_id leaf_scope has_site',
  route_residues:
    'id node_id route_id domain retained_steps attempts created_at leaf_scope? source_path? source_user?',
  processes:
    'id instance_id? node_id? name runtime runtime_config working_directory? account? restart_policy keep_alive desired_state status failed_step? error_code? observed_status? observed_at? created_at variables? definition_id? connection_values?',
  process_residues: 'id node_id process_id name created_at runtime',
  project_definitions: 'id project_id kind name environments spec variables? created_at',
  schedules:
    'id instance_id? node_id? name calendar command timeout_seconds starts_enabled desired_timer_state status failed_step? error_code? last_run_at? last_run_status? created_at definition_id?',
  tools:
    'id node_id manager package version_constraint? status installed_version? failed_operation? error_code? outcome? created_at',
  tool_managers: 'id node_id name status installed_version? failed_step? error_code? created_at',
  node_roles: 'id node_id role status failed_step? error_code? settings? claimed_at? created_at',
  node_grants: 'consumer_node_id serving_node_id created_at',
  node_exclusions: 'project_id node_id created_at',
  clusters: 'id name tld? state created_at',
  projects:
    'id slug name code type repository_url repository_identity source_access default_branch? root? defaults? task_check? task_workspace_routed task_compute review_and_merge merge_check? created_at',
  project_steps: 'id project_id list name command timeout_seconds position created_at required',
  deploy_keys: 'id project_id? repository? status private_key public_key fingerprint created_at',
  git_host_keys: 'id host port type public_key fingerprint trust recorded_at',
  github_apps: 'id app_id slug name owner url private_key created_at',
  github_registrations: 'id state_digest name owner? expires_at',
  project_updates:
    'project_id state requested next_values previous_values found step_events failed_step? error_code? started_at finished_at?',
  deployments:
    'id instance_id request_id release? branch? commit_id? started_at finished_at? duration_ms? status phase? failed_step? error_code? selected_release? triggered_by events',
  instances:
    'id project_id node_id name environment source_layout? checkout_path production_user? production_home? root? selected_branch? branch_override? starting_commit? detached migration_required status vite_port? preparation_id profile? failed_step? error_code? setup? setup_done? removal_operation_id? removal_force? removal_status? removal_step? removal_completed? removal_error_code? removal_started_at? created_at deploy_steps? deployment_branch? selected_release? clone_candidate_id? clone? database_server? database_pending? transfer? creation copy? worktree_of? seed_commit?',
  instance_registrations: 'instance_id source_path has_copy',
  database_connections:
    'id slug driver node_id? host? port? database_name? path? username? password? created_at server_id? owner_instance_id? test_database? pending_step? tls? tls_ca?',
  database_users: 'id database_connection_id username privileges created_by? created_at role?',
  database_servers:
    'id slug node_id process_id? engine tag port root_password? status completed_step? failed_step? error_code? created_at',
  database_attachments: 'id instance_id prefix slug created_at',
  database_residues: 'id server_id database_name test_database? username? created_users created_at',
  environment_values: 'instance_id key value updated_at',
  environment_files: 'instance_id known_keys pending_keys? synced_at?',
  dependency_packages: 'id ecosystem name version reference? integrity? digest',
  dependency_observations:
    'id instance_id ecosystem observed_at project_root source_reference? file_hashes format? graph_digest?',
  dependency_graphs: 'observation_id graph',
  dependency_resolutions: 'observation_id position package_id regular development required_by?',
  dependency_attempts: 'instance_id ecosystem attempted_at error_code? error_detail?',
  activities:
    'id request_id command caller_node_id? target_node_id? caller_ip? status duration_ms? exit_code? error_code? subject_type? subject_id? properties occurred_at',
  locks: 'name token gateway operation request_id since expires_at',
  work: 'id kind key? payload caller_node_id? status due_at attempts added_again request_id token? gateway? lease_expires_at? error_code? created_at',
  facts: 'name value',
} as const satisfies Readonly<Record<keyof Tables, string>>

type Complete<T extends { readonly [N in keyof Tables]: true }> = T
/** Does not compile while a column is missing here, is unknown, or may be null and is not marked. */
type _Complete = Complete<{
  readonly [N in keyof Tables]: Same<WordsOf<(typeof SCHEMA)[N]>, Word<Row<N>>>
}>

forEachDialect('the types name exactly the tables and columns that the migrations make', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const tables = await store.db.introspection.getTables()
  const made = tables.map(({ name, columns }) => [
    name,
    columns.map((column) => (column.isNullable ? `${column.name}?` : column.name)).toSorted(),
  ])
  const named = Object.entries(SCHEMA).map(([name, words]) => [name, words.split(' ').toSorted()])
  assert.deepEqual(Object.fromEntries(made), Object.fromEntries(named))
})
