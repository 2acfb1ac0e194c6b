import { namesOfVolatile } from './volatile-sources.ts'

const DOCS = 'https://www.postgresql.org/docs/18'

/**
 * Functions of the system that are volatile and still only read. Every other volatile one is refused. Each group names the
 * page that says so.
 */
const VOLATILE_READS: readonly (readonly [source: string, names: string])[] = [
  [`${DOCS}/functions-datetime.html#FUNCTIONS-DATETIME-CURRENT`, 'clock_timestamp timeofday'],
  [`${DOCS}/functions-uuid.html`, 'gen_random_uuid uuidv4 uuidv7'],
  [`${DOCS}/functions-math.html#FUNCTIONS-MATH-RANDOM-TABLE`, 'random random_normal'],
  [`${DOCS}/functions-array.html`, 'array_sample array_shuffle'],
  [`${DOCS}/tablesample-method.html`, 'bernoulli system'],
  [
    `${DOCS}/functions-sequence.html (currval and lastval read what nextval left in the session)`,
    'currval lastval',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-ADMIN-DBSIZE`,
    'pg_database_size pg_indexes_size pg_relation_size pg_table_size pg_tablespace_size pg_total_relation_size',
  ],
  [
    `${DOCS}/lo-funcs.html (the whole of a large object; one that is opened belongs to the session)`,
    'lo_get',
  ],
  [`${DOCS}/functions-info.html#FUNCTIONS-INFO-PARTITION`, 'pg_partition_ancestors pg_partition_tree'],
  [
    `${DOCS}/functions-info.html#FUNCTIONS-INFO-SESSION`,
    'pg_blocking_pids pg_safe_snapshot_blocking_pids pg_current_logfile pg_jit_available pg_notification_queue_usage ' +
      'current_query',
  ],
  [
    `${DOCS}/functions-info.html#FUNCTIONS-INFO-COMMIT-TIMESTAMP`,
    'pg_last_committed_xact pg_xact_commit_timestamp pg_xact_commit_timestamp_origin pg_get_multixact_members',
  ],
  [`${DOCS}/functions-info.html#FUNCTIONS-INFO-SNAPSHOT`, 'pg_xact_status txid_status'],
  [
    `${DOCS}/functions-info.html#FUNCTIONS-INFO-CONTROLDATA`,
    'pg_control_checkpoint pg_control_init pg_control_recovery pg_control_system',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-ADMIN-COLLATION`,
    'pg_collation_actual_version pg_database_collation_actual_version',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-ADMIN-BACKUP`,
    'pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn pg_current_xlog_location',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-RECOVERY-INFO-TABLE`,
    'pg_is_in_recovery pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp ' +
      'pg_is_wal_replay_paused pg_get_wal_replay_pause_state pg_get_wal_resource_managers',
  ],
  [
    `${DOCS}/functions-info.html#FUNCTIONS-INFO-WAL-SUMMARY`,
    'pg_available_wal_summaries pg_get_wal_summarizer_state',
  ],
  [
    `${DOCS}/views.html (the functions behind the system's own views)`,
    'pg_lock_status pg_prepared_xact pg_show_all_file_settings pg_hba_file_rules pg_ident_file_mappings ' +
      'pg_get_backend_memory_contexts pg_get_shmem_allocations pg_get_shmem_allocations_numa pg_get_aios ' +
      'pg_get_wait_events pg_sequence_last_value pg_get_sequence_data pg_show_replication_origin_status ' +
      'pg_get_loaded_modules',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-REPLICATION`,
    'pg_replication_origin_progress pg_replication_origin_session_is_setup pg_replication_origin_session_progress',
  ],
  [
    `${DOCS}/monitoring-stats.html#MONITORING-STATS-FUNCTIONS`,
    'pg_stat_get_backend_io pg_stat_get_backend_wal pg_stat_get_io pg_stat_get_recovery_prefetch pg_stat_have_stats ' +
      'pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit pg_stat_get_xact_function_calls ' +
      'pg_stat_get_xact_function_self_time pg_stat_get_xact_function_total_time pg_stat_get_xact_numscans ' +
      'pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched pg_stat_get_xact_tuples_hot_updated ' +
      'pg_stat_get_xact_tuples_inserted pg_stat_get_xact_tuples_newpage_updated pg_stat_get_xact_tuples_returned ' +
      'pg_stat_get_xact_tuples_updated',
  ],
]

/**
 * Functions of the system that act although they may be marked stable or immutable, or that run what a text names, whose
 * effects nobody has resolved. Refused whatever the catalog says of them.
 */
const REFUSED: readonly (readonly [source: string, names: string])[] = [
  [
    `${DOCS}/functions-info.html#FUNCTIONS-INFO-SNAPSHOT (assigns a transaction id)`,
    'pg_current_xact_id txid_current',
  ],
  [
    `${DOCS}/functions-xml.html#FUNCTIONS-XML-MAPPING (runs a query or reads a view that a text names)`,
    'query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml cursor_to_xmlschema table_to_xml ' +
      'table_to_xmlschema table_to_xml_and_xmlschema schema_to_xml schema_to_xmlschema schema_to_xml_and_xmlschema ' +
      'database_to_xml database_to_xmlschema database_to_xml_and_xmlschema',
  ],
  [
    `${DOCS}/functions-info.html#FUNCTIONS-INFO-VALIDITY (evaluates the constraints of a domain that a text names)`,
    'pg_input_is_valid pg_input_error_info',
  ],
  [
    `${DOCS}/xfunc-c.html (input functions that evaluate the constraints of a domain whose id they are given)`,
    'array_in array_recv record_in record_recv range_in range_recv multirange_in multirange_recv domain_in domain_recv',
  ],
  [`${DOCS}/textsearch-features.html#TEXTSEARCH-STATISTICS (runs a query given as text)`, 'ts_stat'],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-ADMIN-SIGNAL`,
    'pg_cancel_backend pg_terminate_backend pg_reload_conf pg_rotate_logfile pg_log_backend_memory_contexts',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-ADVISORY-LOCKS`,
    'pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_all pg_advisory_unlock_shared ' +
      'pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared ' +
      'pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared',
  ],
  [`${DOCS}/functions-sequence.html`, 'nextval setval'],
  [`${DOCS}/functions-admin.html#FUNCTIONS-ADMIN-SET`, 'set_config setseed'],
  [`${DOCS}/functions-datetime.html#FUNCTIONS-DATETIME-DELAY`, 'pg_sleep pg_sleep_for pg_sleep_until'],
  [
    `${DOCS}/lo-funcs.html`,
    'lo_close lo_creat lo_create lo_export lo_from_bytea lo_import lo_lseek lo_lseek64 lo_open lo_put lo_tell ' +
      'lo_tell64 lo_truncate lo_truncate64 lo_unlink loread lowrite',
  ],
  [
    `${DOCS}/functions-admin.html#FUNCTIONS-ADMIN-GENFILE`,
    'pg_read_file pg_read_binary_file pg_stat_file pg_ls_dir pg_ls_logdir pg_ls_waldir pg_ls_tmpdir ' +
      'pg_ls_archive_statusdir pg_ls_logicalmapdir pg_ls_logicalsnapdir pg_ls_replslotdir pg_ls_summariesdir',
  ],
  [`${DOCS}/sql-notify.html`, 'pg_notify'],
  [`${DOCS}/xfunc-c.html#XFUNC-C-DYNLOAD (loads a library)`, 'fmgr_c_validator'],
  [
    `${DOCS}/plhandler.html (parses the body of a function, whose literals may run checks of domains)`,
    'fmgr_sql_validator',
  ],
]

/** Functions of the system that use the parser and the dictionaries of a text search configuration. */
export const TEXT_SEARCH =
  'to_tsvector json_to_tsvector jsonb_to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ' +
  'ts_headline ts_lexize ts_parse ts_token_type ts_debug ts_match_tt ts_match_tq'

/** Functions of the system that are not volatile, and may load a library of somebody's, which stays in the session. */
const LOADING: readonly (readonly [source: string, names: string])[] = [
  [
    `${DOCS}/fdw-callbacks.html#FDW-CALLBACKS-UPDATE (asks the wrapper of a foreign table; views of information_schema call them)`,
    'pg_relation_is_updatable pg_column_is_updatable',
  ],
  [`${DOCS}/textsearch-dictionaries.html (use the parser and dictionaries of a configuration)`, TEXT_SEARCH],
]

const nameSet = (rows: readonly (readonly [string, string])[]): ReadonlySet<string> =>
  new Set(rows.flatMap(([, names]) => names.split(' ')))

const volatileReads = nameSet(VOLATILE_READS)
const refused = nameSet(REFUSED)
const loading = nameSet(LOADING)

/** Whether a function that initdb created only reads. Volatility is `i`, `s` or `v` (pg_proc.provolatile). */
export const isSystemRead = (name: string, volatility: string): boolean =>
  !refused.has(name) && (volatility !== 'v' || volatileReads.has(name))

/** Whether a function of the system is a volatile one that has got another's name, or is not called volatile any more. */
export function isDisguised({ name, volatility, language, source }: SystemFunction): boolean {
  const names = language === 'internal' ? namesOfVolatile(source) : undefined
  if (names === undefined) return false
  return !names.includes(name) || (volatility !== 'v' && !volatileReads.has(name))
}

/** Members of a row of pg_proc. */
interface SystemFunction {
  readonly name: string
  readonly volatility: string
  readonly language: string
  readonly source: string
}

/**
 * Whether a function of the system leaves nothing in its session: it cannot set anything while it is not volatile
 * (xfunc-volatility.html).
 */
export const isTraceless = (name: string, volatility: string): boolean =>
  volatility !== 'v' && !loading.has(name)

/**
 * Extensions of the PostgreSQL distribution, and two others, whose C functions that are not volatile only read; with the
 * volatile ones that only read too.
 */
const EXTENSIONS: readonly (readonly [name: string, source: string, volatileReads: string])[] = [
  // The others of amcheck run what an index names: its operator class and its expressions.
  ['amcheck', `${DOCS}/amcheck.html`, 'verify_heapam'],
  ['bloom', `${DOCS}/bloom.html`, ''],
  ['btree_gin', `${DOCS}/btree-gin.html`, ''],
  ['btree_gist', `${DOCS}/btree-gist.html`, ''],
  ['citext', `${DOCS}/citext.html`, ''],
  ['cube', `${DOCS}/cube.html`, ''],
  ['dict_int', `${DOCS}/dict-int.html`, ''],
  ['earthdistance', `${DOCS}/earthdistance.html`, ''],
  ['fuzzystrmatch', `${DOCS}/fuzzystrmatch.html`, ''],
  ['hstore', `${DOCS}/hstore.html`, ''],
  ['intarray', `${DOCS}/intarray.html`, ''],
  ['isn', `${DOCS}/isn.html`, ''],
  ['ltree', `${DOCS}/ltree.html`, ''],
  ['old_snapshot', 'https://www.postgresql.org/docs/16/oldsnapshot.html', 'pg_old_snapshot_time_mapping'],
  [
    'pg_buffercache',
    `${DOCS}/pgbuffercache.html`,
    'pg_buffercache_pages pg_buffercache_summary pg_buffercache_usage_counts',
  ],
  ['pg_freespacemap', `${DOCS}/pgfreespacemap.html`, 'pg_freespace'],
  ['pg_stat_statements', `${DOCS}/pgstatstatements.html`, 'pg_stat_statements pg_stat_statements_info'],
  ['pg_trgm', `${DOCS}/pgtrgm.html`, ''],
  [
    'pg_visibility',
    `${DOCS}/pgvisibility.html`,
    'pg_visibility pg_visibility_map pg_visibility_map_summary pg_check_visible pg_check_frozen',
  ],
  [
    'pgcrypto',
    `${DOCS}/pgcrypto.html`,
    'gen_random_bytes gen_random_uuid gen_salt pgp_pub_encrypt pgp_pub_encrypt_bytea pgp_sym_encrypt pgp_sym_encrypt_bytea',
  ],
  ['pgrowlocks', `${DOCS}/pgrowlocks.html`, 'pgrowlocks'],
  [
    'pgstattuple',
    `${DOCS}/pgstattuple.html`,
    'pgstattuple pgstattuple_approx pgstatindex pgstatginindex pgstathashindex pg_relpages',
  ],
  ['postgis', 'https://postgis.net/docs/reference.html', ''],
  ['seg', `${DOCS}/seg.html`, ''],
  [
    'sslinfo',
    `${DOCS}/sslinfo.html`,
    'ssl_is_used ssl_version ssl_cipher ssl_client_cert_present ssl_client_serial ssl_client_dn ssl_client_dn_field ' +
      'ssl_issuer_dn ssl_issuer_field ssl_extension_info',
  ],
  ['tablefunc', `${DOCS}/tablefunc.html`, 'normal_rand'],
  ['tsm_system_rows', `${DOCS}/tsm-system-rows.html`, 'system_rows'],
  ['tsm_system_time', `${DOCS}/tsm-system-time.html`, 'system_time'],
  ['unaccent', `${DOCS}/unaccent.html`, ''],
  ['uuid-ossp', `${DOCS}/uuid-ossp.html`, 'uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4'],
  ['vector', 'https://github.com/pgvector/pgvector#reference', ''],
]

const extensions = new Map(EXTENSIONS.map(([name, , reads]) => [name, new Set(reads.split(' '))]))

/** Whether a C function of an extension only reads. */
export const isExtensionRead = (extension: string, name: string, volatility: string): boolean => {
  const reads = extensions.get(extension)
  return reads !== undefined && !ACTING.has(name) && (volatility !== 'v' || reads.has(name))
}

// Marked stable by their extension although they change its settings for the session, or put their texts into a statement
// of their own (the pages above).
const ACTING = new Set('set_limit isn_weak connectby'.split(' '))
