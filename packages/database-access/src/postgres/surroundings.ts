import type { CatalogFunction } from './catalog.ts'

/** Where a body in SQL is understood: by which role, and with which search path, it runs. */
export interface Surroundings {
  /** Absent: the role of the session. */
  readonly role?: string
  /** As `search_path` has it. Absent: that of the session. */
  readonly searchPath?: string
}

/** Surroundings of the session itself. */
export const SESSION: Surroundings = {}

/**
 * Surroundings of the body of a function that is called in others. What its body calls is looked up there, too: by a role that
 * may not see each schema of the path. Undefined when it sets something that could change what is called in another way.
 */
export function surroundingsOf(
  outer: Surroundings,
  { settings, definer }: CatalogFunction,
): Surroundings | undefined {
  const inner = { ...outer, ...(definer === null ? {} : { role: definer }) }
  for (const setting of settings ?? []) {
    const [, name = '', value = ''] = /^([^=]*)=([^]*)$/.exec(setting) ?? []
    if (name.toLowerCase() === 'search_path') inner.searchPath = value
    else if (!HARMLESS.has(name.toLowerCase())) return undefined
  }
  return inner
}

export const isSame = (a: Surroundings, b: Surroundings): boolean =>
  a.role === b.role && a.searchPath === b.searchPath

/** Settings that change how long a function takes or how it prints, and not what it calls (runtime-config.html). */
const HARMLESS = new Set(
  (
    'work_mem hash_mem_multiplier maintenance_work_mem temp_buffers effective_cache_size effective_io_concurrency ' +
    'random_page_cost seq_page_cost cpu_tuple_cost cpu_index_tuple_cost cpu_operator_cost parallel_setup_cost ' +
    'parallel_tuple_cost max_parallel_workers_per_gather from_collapse_limit join_collapse_limit geqo jit ' +
    'jit_above_cost plan_cache_mode constraint_exclusion cursor_tuple_fraction enable_seqscan enable_indexscan ' +
    'enable_indexonlyscan enable_bitmapscan enable_hashjoin enable_mergejoin enable_nestloop enable_hashagg enable_sort ' +
    'enable_material enable_memoize enable_partition_pruning enable_incremental_sort extra_float_digits datestyle ' +
    'intervalstyle timezone bytea_output lc_messages lc_monetary lc_numeric lc_time application_name ' +
    'default_text_search_config gin_fuzzy_search_limit pg_trgm.similarity_threshold pg_trgm.word_similarity_threshold ' +
    'pg_trgm.strict_word_similarity_threshold ivfflat.probes hnsw.ef_search'
  ).split(' '),
)

/** Expressions that bring a session there until the savepoint that they follow is rolled back to. */
export const expressionsOf = ({ role, searchPath }: Surroundings): readonly string[] => [
  ...(role === undefined || isOfSystem(searchPath)
    ? []
    : [`pg_catalog.set_config('role', ${quoted(role)}, true)`]),
  ...(searchPath === undefined ? [] : [`pg_catalog.set_config('search_path', ${quoted(searchPath)}, true)`]),
]

/** Whether a path has the schemas of the system alone, so that it means the same to each role. */
const isOfSystem = (searchPath: string | undefined): boolean =>
  searchPath !== undefined &&
  /^\s*(""|pg_catalog|pg_temp)?(\s*,\s*(""|pg_catalog|pg_temp))*\s*$/.test(searchPath)

/** `standard_conforming_strings` is on in every session that reads. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
