import { DATABASE_LIMITS } from '#/limits.ts'

const MYSQL = 'https://dev.mysql.com/doc/refman/9.0/en'
const MARIADB = 'https://mariadb.com/docs/server/reference/sql-functions'

/**
 * Functions of the servers that only read or compute, by the page that lists them. A name that is not here is judged by
 * its body when it is a stored function, and refused otherwise.
 */
const READS: readonly (readonly [source: string, names: string])[] = [
  [
    `${MYSQL}/aggregate-functions.html`,
    'avg bit_and bit_or bit_xor count group_concat json_arrayagg json_objectagg max min std stddev stddev_pop ' +
      'stddev_samp sum var_pop var_samp variance any_value grouping',
  ],
  [
    `${MYSQL}/window-function-descriptions.html`,
    'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number',
  ],
  [`${MARIADB}/special-functions/window-functions`, 'median percentile_cont percentile_disc'],
  [`${MYSQL}/flow-control-functions.html`, 'if ifnull nullif case nvl nvl2 decode decode_oracle'],
  [`${MYSQL}/comparison-operators.html`, 'coalesce greatest least interval isnull strcmp in'],
  [`${MYSQL}/cast-functions.html`, 'cast convert binary'],
  [
    `${MYSQL}/mathematical-functions.html`,
    'abs acos asin atan atan2 ceil ceiling conv cos cot crc32 crc32c degrees exp floor format ln log log10 log2 mod oct ' +
      'pi pow power radians rand round sign sin sqrt tan truncate bit_count',
  ],
  [
    `${MYSQL}/string-functions.html`,
    'ascii bin bit_length char char_length character_length chr concat concat_ws elt export_set field find_in_set ' +
      'format from_base64 hex insert instr lcase left length lengthb locate lower lpad ltrim make_set mid natural_sort_key ' +
      'octet_length ord position quote repeat replace reverse right rpad rtrim sformat soundex space substr substring ' +
      'substring_index to_base64 trim ucase unhex upper weight_string match lpad_oracle rpad_oracle ltrim_oracle ' +
      'rtrim_oracle trim_oracle replace_oracle substr_oracle concat_operator_oracle to_char',
  ],
  [`${MYSQL}/regexp.html`, 'regexp_instr regexp_like regexp_replace regexp_substr'],
  [
    `${MYSQL}/date-and-time-functions.html`,
    'add_months adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add ' +
      'date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime ' +
      'get_format hour last_day localtime localtimestamp makedate maketime microsecond minute month monthname now ' +
      'period_add period_diff quarter sec_to_time second str_to_date subdate subtime sysdate time time_format ' +
      'time_to_sec timediff timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date utc_time ' +
      'utc_timestamp week weekday weekofyear year yearweek',
  ],
  [
    `${MYSQL}/json-functions.html`,
    'json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_extract ' +
      'json_insert json_keys json_length json_merge json_merge_patch json_merge_preserve json_object json_overlaps ' +
      'json_pretty json_quote json_remove json_replace json_schema_valid json_schema_validation_report json_search ' +
      'json_set json_storage_free json_storage_size json_table json_type json_unquote json_valid json_value member',
  ],
  [
    `${MARIADB}/special-functions/json-functions`,
    'json_array_intersect json_compact json_detailed json_equals json_exists json_key_value json_loose json_normalize ' +
      'json_object_filter_keys json_object_to_array json_query',
  ],
  [
    `${MYSQL}/encryption-functions.html`,
    'aes_decrypt aes_encrypt compress md5 old_password password random_bytes sha sha1 sha2 statement_digest ' +
      'statement_digest_text uncompress uncompressed_length validate_password_strength des_decrypt des_encrypt encode ' +
      'encrypt kdf xxh3 xxh32',
  ],
  [
    `${MYSQL}/information-functions.html`,
    'charset coercibility collation connection_id current_role current_user database found_rows icu_version ' +
      'roles_graphml row_count schema session_user system_user user version version_with_update binlog_gtid_pos',
  ],
  ['https://dev.mysql.com/doc/refman/9.7/en/gatekeeper-functions.html', 'current_role_in current_user_in'],
  [
    `${MYSQL}/miscellaneous-functions.html`,
    'any_value bin_to_uuid default default_value inet6_aton inet6_ntoa inet_aton inet_ntoa is_ipv4 is_ipv4_compat ' +
      'is_ipv4_mapped is_ipv6 is_uuid name_const uuid uuid_short uuid_to_bin uuid_v4 uuid_v7 sys_guid value values ' +
      'is_free_lock is_used_lock',
  ],
  [`${MYSQL}/gtid-functions.html`, 'gtid_subset gtid_subtract'],
  [`${MARIADB}/secondary-functions/information-functions/decode_histogram`, 'decode_histogram'],
  [`${MARIADB}/secondary-functions/information-functions/rownum`, 'rownum'],
  [
    'https://mariadb.com/docs/server/reference/sql-structure/sequences/sequence-functions/previous-value-for',
    'lastval',
  ],
  [
    `${MYSQL}/performance-schema-functions.html`,
    'format_bytes format_pico_time ps_current_thread_id ps_thread_id',
  ],
  [`${MYSQL}/xml-functions.html`, 'extractvalue updatexml'],
  [
    `${MYSQL}/vector-functions.html`,
    'distance vector_distance string_to_vector to_vector vector_to_string from_vector vector_dim',
  ],
  [
    'https://mariadb.com/docs/server/reference/sql-structure/vectors/vector-functions',
    'vec_distance vec_distance_cosine vec_distance_euclidean vec_fromtext vec_totext',
  ],
  ['https://mariadb.com/docs/server/release-notes/community-server (12)', 'to_date to_number trunc'],
  [`${MYSQL}/json-duality-views.html`, 'etag json_duality_object'],
  [
    'https://galeracluster.com/library/documentation/galera-functions.html',
    'wsrep_last_seen_gtid wsrep_last_written_gtid',
  ],
  [
    `${MARIADB}/special-functions/dynamic-columns-functions`,
    'column_add column_check column_create column_delete column_exists column_get column_json column_list',
  ],
  [
    `${MYSQL}/spatial-function-reference.html`,
    'geomcollection geometrycollection linestring mbrcontains mbrcoveredby mbrcovers mbrdisjoint mbrequal mbrequals ' +
      'mbrintersects mbroverlaps mbrtouches mbrwithin multilinestring multipoint multipolygon point polygon astext ' +
      'asbinary aswkb aswkt geometrytype x y srid area centroid envelope dimension isempty issimple isclosed ' +
      'numpoints pointn startpoint endpoint glength numgeometries geometryn intersects contains within crosses ' +
      'disjoint equals overlaps touches boundary buffer convexhull exteriorring geomcollfromtext geomcollfromwkb ' +
      'geometrycollectionfromtext geometrycollectionfromwkb geometryfromtext geometryfromwkb geomfromtext geomfromwkb ' +
      'interiorringn isring linefromtext linefromwkb linestringfromtext linestringfromwkb mlinefromtext mlinefromwkb ' +
      'mpointfromtext mpointfromwkb mpolyfromtext mpolyfromwkb multilinestringfromtext multilinestringfromwkb ' +
      'multipointfromtext multipointfromwkb multipolygonfromtext multipolygonfromwkb numinteriorrings pointfromtext ' +
      'pointfromwkb pointonsurface polyfromtext polyfromwkb polygonfromtext polygonfromwkb',
  ],
]

const reads = new Set(READS.flatMap(([, names]) => names.split(' ')))

/** Every `ST_…` function computes (spatial-function-reference.html): none of them has an effect. */
export const isMysqlRead = (name: string): boolean => reads.has(name) || /^st_[a-z0-9_]+$/.test(name)

/** Words that stand before a parenthesis and call nothing. Those that are not reserved may also name a stored function. */
export const STRUCTURE = new Set(
  (
    'against any ascii bernoulli bit bool boolean columns cube date datetime enum escape fields filter first following ' +
    'full high_priority inet4 inet6 json lateral member national nchar nested next nvarchar of offset only path preceding ' +
    'qualify rollup sets some sounds sql_big_result sql_buffer_result sql_cache sql_calc_found_rows sql_no_cache ' +
    'sql_small_result system text time timestamp unicode uuid value vector within xmltype year list system_time partitions'
  ).split(' '),
)

/** The same for words that are reserved on every server (keywords.html), so nothing can have such a name. */
export const RESERVED = new Set(
  (
    'all and as asc between bigint binary blob both by case char character convert cross dec decimal desc distinct ' +
    'distinctrow div double else except exists float for force from fulltext group having if ignore in index inner int ' +
    'integer intersect interval is join key keys leading left like limit match mediumint mod natural not null numeric ' +
    'on or order outer over partition precision real recursive regexp right rlike row rows select separator smallint ' +
    'straight_join table then tinyint trailing union unsigned use using values varbinary varchar when where window ' +
    'with xor'
  ).split(' '),
)

/** Optimizer hints that neither set a variable nor lift a time limit (optimizer-hints.html). */
const HINTS = new Set(
  (
    'bka no_bka bnl no_bnl derived_condition_pushdown no_derived_condition_pushdown group_index no_group_index hash_join ' +
    'no_hash_join index no_index index_merge no_index_merge join_fixed_order join_index no_join_index join_order ' +
    'join_prefix join_suffix merge no_merge mrr no_mrr no_icp no_range_optimization order_index no_order_index qb_name ' +
    'semijoin no_semijoin skip_scan no_skip_scan subquery'
  ).split(' '),
)

/** Whether every hint of a comment is harmless. The end of a comment may be part of a quoted name to the servers. */
export const areHarmlessHints = (text: string): boolean => {
  const rest = text.replaceAll(/\bmax_execution_time\s*\(\s*(\d+)\s*\)/gi, (hint, time: string) =>
    isWithinTime(Number(time)) ? ' ' : hint,
  )
  return (
    !/['"`]/.test(rest) &&
    [...rest.matchAll(/([a-z_]\w*)\s*\(/gi)].every(([, name = '']) => HINTS.has(name.toLowerCase())) &&
    !/set_var|max_execution_time|resource_group/i.test(rest)
  )
}

/** 0 is no limit at all. */
const isWithinTime = (milliseconds: number): boolean =>
  milliseconds >= 1 && milliseconds <= DATABASE_LIMITS.timeoutMilliseconds
