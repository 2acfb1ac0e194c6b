import { join } from 'node:path'
import {
  type ServerKind,
  type ServerPlace,
  type ServerWorld,
  startServerWorld,
  type Words,
} from './server-world.ts'
import { seenTree, serverOf } from './tree-program.ts'

function mysqld(tree: string, place: ServerPlace): Words {
  const seen = seenTree(place)
  return [
    ...serverOf(tree, 'usr/sbin/mysqld', place),
    '--no-defaults',
    `--basedir=${join(seen, 'usr')}`,
    `--lc-messages-dir=${join(seen, 'usr/share/mysql')}`,
    `--character-sets-dir=${join(seen, 'usr/share/mysql/charsets')}`,
    `--plugin-dir=${join(seen, 'usr/lib/mysql/plugin')}`,
    `--datadir=${place.data}`,
    // A file that a statement writes is to be seen.
    '--secure-file-priv=',
  ]
}

const VARIABLES =
  'timestamp|insert_id|rand_seed|innodb_buffer|identity|pseudo|error_count|warning_count|last_|gtid_owned'

const kindOf = (tree: string): ServerKind => ({
  name: 'mysql',
  leavesRoot: true,
  listens: true,
  install: (place) => [...mysqld(tree, place), '--initialize-insecure'],
  serve: (place) => [
    ...mysqld(tree, place),
    `--socket=${place.socket}`,
    '--bind-address=127.0.0.1',
    `--port=${place.port}`,
    '--mysqlx=OFF',
    '--innodb-flush-log-at-trx-commit=0',
    '--sync-binlog=0',
    '--log-bin-trust-function-creators=1',
  ],
  parts: [
    'select * from mysql.user order by 1, 2',
    'select * from mysql.db order by 1, 2, 3',
    'select * from mysql.global_grants order by 1, 2, 3',
    'select * from mysql.role_edges order by 1, 2, 3',
    'select * from mysql.default_roles order by 1, 2, 3',
    'select * from mysql.tables_priv order by 1, 2, 3',
    'select component_urn from mysql.component order by 1',
    'select udf_name, udf_usage_count from performance_schema.user_defined_functions order by 1',
    'select * from performance_schema.persisted_variables order by 1',
    'select * from information_schema.resource_groups order by 1',
    'select count(*) from information_schema.st_spatial_reference_systems',
    'select library_name, last_altered from information_schema.libraries order by 1',
    'select file_name, status from information_schema.files where file_type <> "TEMPORARY" order by 1',
    'select schema_name, table_name, column_name from information_schema.column_statistics order by 1, 2, 3',
    'select name, status from information_schema.innodb_metrics order by 1',
    'select * from performance_schema.keyring_keys order by 1',
    'select * from performance_schema.replication_connection_configuration',
    'select * from performance_schema.setup_actors order by 1, 2, 3',
    'select * from performance_schema.setup_consumers order by 1',
    'select name, enabled, timed from performance_schema.setup_instruments where enabled = "YES" order by 1',
    'select * from performance_schema.setup_objects order by 1, 2, 3',
    'select * from sys.sys_config order by 1',
    'select object_type, object_schema, object_name from performance_schema.metadata_locks where owner_thread_id <> ps_current_thread_id() order by 1, 2, 3',
    'select count(*) from performance_schema.data_locks',
    'select count(*) from performance_schema.prepared_statements_instances',
    'select variable_name from performance_schema.user_variables_by_thread where thread_id <> ps_current_thread_id()',
    // Whatever is written is there, too.
    'show binary log status',
    'show binary logs',
    `select variable_name, variable_value from performance_schema.global_variables where variable_name not regexp "${VARIABLES}" order by 1`,
  ],
})

/** A MySQL server of its own, from a tree of Debian with its package, with the objects of the corpus. */
export const startMysqlWorld = (tree: string): Promise<ServerWorld> => startServerWorld(kindOf(tree))
