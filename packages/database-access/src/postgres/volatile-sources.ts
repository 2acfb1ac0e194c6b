/**
 * Functions in the server's program that its catalog calls volatile, by the name of each there and, where that is another one, the names
 * of the functions that they are (pg_proc.dat of PostgreSQL 18). Whoever owns the system may give another function such a source, or
 * call it immutable.
 */
const VOLATILE =
  'RI_FKey_cascade_del RI_FKey_cascade_upd RI_FKey_check_ins RI_FKey_check_upd RI_FKey_noaction_del RI_FKey_noaction_upd ' +
  'RI_FKey_restrict_del RI_FKey_restrict_upd RI_FKey_setdefault_del RI_FKey_setdefault_upd RI_FKey_setnull_del ' +
  'RI_FKey_setnull_upd amvalidate array_sample array_shuffle be_lo_close=lo_close be_lo_creat=lo_creat ' +
  'be_lo_create=lo_create be_lo_export=lo_export be_lo_from_bytea=lo_from_bytea be_lo_get=lo_get ' +
  'be_lo_get_fragment=lo_get be_lo_import=lo_import be_lo_import_with_oid=lo_import be_lo_lseek=lo_lseek ' +
  'be_lo_lseek64=lo_lseek64 be_lo_open=lo_open be_lo_put=lo_put be_lo_tell=lo_tell be_lo_tell64=lo_tell64 ' +
  'be_lo_truncate=lo_truncate be_lo_truncate64=lo_truncate64 be_lo_unlink=lo_unlink be_loread=loread be_lowrite=lowrite ' +
  'binary_upgrade_add_sub_rel_state binary_upgrade_create_empty_extension binary_upgrade_logical_slot_has_caught_up ' +
  'binary_upgrade_replorigin_advance binary_upgrade_set_missing_value binary_upgrade_set_next_array_pg_type_oid ' +
  'binary_upgrade_set_next_heap_pg_class_oid binary_upgrade_set_next_heap_relfilenode ' +
  'binary_upgrade_set_next_index_pg_class_oid binary_upgrade_set_next_index_relfilenode ' +
  'binary_upgrade_set_next_multirange_array_pg_type_oid binary_upgrade_set_next_multirange_pg_type_oid ' +
  'binary_upgrade_set_next_pg_authid_oid binary_upgrade_set_next_pg_enum_oid binary_upgrade_set_next_pg_tablespace_oid ' +
  'binary_upgrade_set_next_pg_type_oid binary_upgrade_set_next_toast_pg_class_oid ' +
  'binary_upgrade_set_next_toast_relfilenode binary_upgrade_set_record_init_privs brin_desummarize_range ' +
  'brin_summarize_new_values brin_summarize_range brinhandler bthandler clock_timestamp current_query ' +
  'currtid_byrelname=currtid2 currval_oid=currval cursor_to_xml cursor_to_xmlschema drandom=random ' +
  'drandom_normal=random_normal gen_random_uuid=gen_random_uuid,uuidv4 gin_clean_pending_list ginhandler gisthandler ' +
  'hashhandler heap_tableam_handler int4random=random int8random=random lastval nextval_oid=nextval numeric_random=random ' +
  'pg_advisory_lock_int4=pg_advisory_lock pg_advisory_lock_int8=pg_advisory_lock ' +
  'pg_advisory_lock_shared_int4=pg_advisory_lock_shared pg_advisory_lock_shared_int8=pg_advisory_lock_shared ' +
  'pg_advisory_unlock_all pg_advisory_unlock_int4=pg_advisory_unlock pg_advisory_unlock_int8=pg_advisory_unlock ' +
  'pg_advisory_unlock_shared_int4=pg_advisory_unlock_shared pg_advisory_unlock_shared_int8=pg_advisory_unlock_shared ' +
  'pg_advisory_xact_lock_int4=pg_advisory_xact_lock pg_advisory_xact_lock_int8=pg_advisory_xact_lock ' +
  'pg_advisory_xact_lock_shared_int4=pg_advisory_xact_lock_shared ' +
  'pg_advisory_xact_lock_shared_int8=pg_advisory_xact_lock_shared pg_available_wal_summaries pg_backup_start ' +
  'pg_backup_stop pg_blocking_pids pg_cancel_backend pg_clear_attribute_stats pg_clear_relation_stats ' +
  'pg_collation_actual_version pg_control_checkpoint pg_control_init pg_control_recovery pg_control_system ' +
  'pg_copy_logical_replication_slot_a=pg_copy_logical_replication_slot ' +
  'pg_copy_logical_replication_slot_b=pg_copy_logical_replication_slot ' +
  'pg_copy_logical_replication_slot_c=pg_copy_logical_replication_slot ' +
  'pg_copy_physical_replication_slot_a=pg_copy_physical_replication_slot ' +
  'pg_copy_physical_replication_slot_b=pg_copy_physical_replication_slot pg_create_logical_replication_slot ' +
  'pg_create_physical_replication_slot pg_create_restore_point pg_current_logfile ' +
  'pg_current_logfile_1arg=pg_current_logfile pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn ' +
  'pg_database_collation_actual_version pg_database_size_name=pg_database_size pg_database_size_oid=pg_database_size ' +
  'pg_drop_replication_slot pg_export_snapshot pg_extension_config_dump pg_get_aios pg_get_backend_memory_contexts ' +
  'pg_get_loaded_modules pg_get_multixact_members pg_get_sequence_data pg_get_shmem_allocations ' +
  'pg_get_shmem_allocations_numa pg_get_wait_events pg_get_wal_replay_pause_state pg_get_wal_resource_managers ' +
  'pg_get_wal_summarizer_state pg_hba_file_rules pg_ident_file_mappings pg_import_system_collations pg_indexes_size ' +
  'pg_is_in_recovery pg_is_wal_replay_paused pg_isolation_test_session_is_blocked pg_jit_available pg_last_committed_xact ' +
  'pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_lock_status ' +
  'pg_log_backend_memory_contexts pg_log_standby_snapshot pg_logical_emit_message_bytea=pg_logical_emit_message ' +
  'pg_logical_emit_message_text=pg_logical_emit_message pg_logical_slot_get_binary_changes pg_logical_slot_get_changes ' +
  'pg_logical_slot_peek_binary_changes pg_logical_slot_peek_changes pg_ls_archive_statusdir pg_ls_dir ' +
  'pg_ls_dir_1arg=pg_ls_dir pg_ls_logdir pg_ls_logicalmapdir pg_ls_logicalsnapdir pg_ls_replslotdir pg_ls_summariesdir ' +
  'pg_ls_tmpdir_1arg=pg_ls_tmpdir pg_ls_tmpdir_noargs=pg_ls_tmpdir pg_ls_waldir pg_nextoid pg_notification_queue_usage ' +
  'pg_notify pg_partition_ancestors pg_partition_tree pg_prepared_xact pg_promote ' +
  'pg_read_binary_file_all=pg_read_binary_file pg_read_binary_file_all_missing=pg_read_binary_file ' +
  'pg_read_binary_file_off_len=pg_read_binary_file pg_read_binary_file_off_len_missing=pg_read_binary_file ' +
  'pg_read_file_all=pg_read_file pg_read_file_all_missing=pg_read_file pg_read_file_off_len=pg_read_file ' +
  'pg_read_file_off_len_missing=pg_read_file pg_relation_size pg_reload_conf pg_replication_origin_advance ' +
  'pg_replication_origin_create pg_replication_origin_drop pg_replication_origin_progress ' +
  'pg_replication_origin_session_is_setup pg_replication_origin_session_progress pg_replication_origin_session_reset ' +
  'pg_replication_origin_session_setup pg_replication_origin_xact_reset pg_replication_origin_xact_setup ' +
  'pg_replication_slot_advance pg_restore_attribute_stats pg_restore_relation_stats pg_rotate_logfile ' +
  'pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_show_replication_origin_status pg_sleep ' +
  'pg_stat_clear_snapshot pg_stat_file pg_stat_file_1arg=pg_stat_file pg_stat_force_next_flush pg_stat_get_backend_io ' +
  'pg_stat_get_backend_wal pg_stat_get_io pg_stat_get_recovery_prefetch pg_stat_get_xact_blocks_fetched ' +
  'pg_stat_get_xact_blocks_hit pg_stat_get_xact_function_calls pg_stat_get_xact_function_self_time ' +
  'pg_stat_get_xact_function_total_time pg_stat_get_xact_numscans pg_stat_get_xact_tuples_deleted ' +
  'pg_stat_get_xact_tuples_fetched pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted ' +
  'pg_stat_get_xact_tuples_newpage_updated pg_stat_get_xact_tuples_returned pg_stat_get_xact_tuples_updated ' +
  'pg_stat_have_stats pg_stat_reset pg_stat_reset_backend_stats pg_stat_reset_replication_slot pg_stat_reset_shared ' +
  'pg_stat_reset_single_function_counters pg_stat_reset_single_table_counters pg_stat_reset_slru ' +
  'pg_stat_reset_subscription_stats pg_stop_making_pinned_objects pg_switch_wal pg_sync_replication_slots pg_table_size ' +
  'pg_tablespace_size_name=pg_tablespace_size pg_tablespace_size_oid=pg_tablespace_size pg_terminate_backend ' +
  'pg_total_relation_size pg_try_advisory_lock_int4=pg_try_advisory_lock pg_try_advisory_lock_int8=pg_try_advisory_lock ' +
  'pg_try_advisory_lock_shared_int4=pg_try_advisory_lock_shared ' +
  'pg_try_advisory_lock_shared_int8=pg_try_advisory_lock_shared pg_try_advisory_xact_lock_int4=pg_try_advisory_xact_lock ' +
  'pg_try_advisory_xact_lock_int8=pg_try_advisory_xact_lock ' +
  'pg_try_advisory_xact_lock_shared_int4=pg_try_advisory_xact_lock_shared ' +
  'pg_try_advisory_xact_lock_shared_int8=pg_try_advisory_xact_lock_shared pg_wal_replay_pause pg_wal_replay_resume ' +
  'pg_wal_summary_contents pg_xact_commit_timestamp pg_xact_commit_timestamp_origin ' +
  'pg_xact_status=pg_xact_status,txid_status query_to_xml query_to_xml_and_xmlschema query_to_xmlschema ' +
  'set_config_by_name=set_config setseed setval3_oid=setval setval_oid=setval ' +
  'show_all_file_settings=pg_show_all_file_settings spghandler suppress_redundant_updates_trigger timeofday ' +
  'ts_stat1=ts_stat ts_stat2=ts_stat tsm_bernoulli_handler=bernoulli tsm_system_handler=system ' +
  'tsquery_rewrite_query=ts_rewrite tsvector_update_trigger_bycolumn=tsvector_update_trigger_column ' +
  'tsvector_update_trigger_byid=tsvector_update_trigger unique_key_recheck uuidv7 uuidv7_interval=uuidv7'

const namesBySource: ReadonlyMap<string, readonly string[]> = new Map(
  VOLATILE.split(' ').map((word) => {
    const [source = '', names = source] = word.split('=')
    return [source, names.split(',')] as const
  }),
)

/** What a volatile source is called in the catalog of a new server; undefined for every other source. */
export const namesOfVolatile = (source: string): readonly string[] | undefined => namesBySource.get(source)
