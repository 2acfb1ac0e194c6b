const DOCS = 'https://www.sqlite.org'

/** Functions that only compute or read, by the page that lists them. Every other one is refused. */
const READS: readonly (readonly [source: string, names: string])[] = [
  [
    `${DOCS}/lang_corefunc.html`,
    'abs changes char coalesce concat concat_ws format glob hex if ifnull iif instr last_insert_rowid length like ' +
      'likelihood likely lower ltrim max min nullif octet_length printf quote random randomblob replace round rtrim sign ' +
      'soundex sqlite_compileoption_get sqlite_compileoption_used sqlite_offset sqlite_source_id sqlite_version substr ' +
      'substring total_changes trim typeof unhex unicode unistr unistr_quote unlikely upper zeroblob match regexp ' +
      'subtype -> ->>',
  ],
  [
    `${DOCS}/lang_datefunc.html`,
    'date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp',
  ],
  [
    `${DOCS}/lang_aggfunc.html`,
    'avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc',
  ],
  [
    `${DOCS}/windowfunctions.html#built_in_window_functions`,
    'row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value',
  ],
  [
    `${DOCS}/lang_mathfunc.html`,
    'acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power ' +
      'radians sin sinh sqrt tan tanh trunc',
  ],
  [
    `${DOCS}/json1.html`,
    'json json_array json_array_insert json_array_length json_each json_error_position json_extract json_group_array ' +
      'json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set ' +
      'json_tree json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_each jsonb_extract jsonb_group_array ' +
      'jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set jsonb_tree',
  ],
  [
    `${DOCS}/fts5.html#_auxiliary_functions_`,
    'bm25 highlight snippet fts5_get_locale fts5_insttoken fts5_locale fts5_source_id',
  ],
  [`${DOCS}/fts3.html#snippet`, 'matchinfo offsets'],
  [`${DOCS}/rtree.html`, 'rtreecheck rtreedepth rtreenode'],
  [
    `${DOCS}/geopoly.html`,
    'geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_group_bbox geopoly_json ' +
      'geopoly_overlap geopoly_regular geopoly_svg geopoly_within geopoly_xform',
  ],
]

const reads = new Set(READS.flatMap(([, names]) => names.split(' ')))

export const isSqliteRead = (name: string): boolean => reads.has(name.toLowerCase())

/** Pragmas that only answer, whatever their argument (pragma.html). */
const ANSWERS = new Set(
  (
    'table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check ' +
    'integrity_check quick_check database_list collation_list function_list module_list pragma_list compile_options'
  ).split(' '),
)

/** Pragmas that answer without an argument, and set something with one. */
const SETTINGS = new Set(
  (
    'analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill ' +
    'cell_size_check checkpoint_fullfsync count_changes data_version default_cache_size defer_foreign_keys ' +
    'empty_result_callbacks encoding foreign_keys freelist_count full_column_names fullfsync hard_heap_limit ' +
    'ignore_check_constraints journal_mode journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size ' +
    'page_count page_size query_only read_uncommitted recursive_triggers reverse_unordered_selects schema_version ' +
    'secure_delete short_column_names soft_heap_limit synchronous temp_store threads ' +
    'trusted_schema user_version wal_autocheckpoint writable_schema'
  ).split(' '),
)

export const isReadPragma = (name: string, argument: string | null): boolean =>
  ANSWERS.has(name.toLowerCase()) || (argument === null && SETTINGS.has(name.toLowerCase()))

/** Pragmas that reach beyond the file, refused to writes too. */
export const BEYOND_FILE = new Set(['temp_store_directory', 'data_store_directory', 'writable_schema'])
