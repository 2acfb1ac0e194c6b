import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  NOBODY,
  type ServerKind,
  type ServerPlace,
  type ServerWorld,
  startServerWorld,
  type Words,
} from './server-world.ts'
import { seenTree, serverOf } from './tree-program.ts'

const installed = (program: string): string | undefined =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

/** Why there is no server on this machine, or undefined. */
export const missingMariadb = (): string | undefined =>
  ['mariadbd', 'mariadb-install-db', 'my_print_defaults'].every((name) => installed(name))
    ? undefined
    : 'no MariaDB on this machine: apt-get install mariadb-server-core mariadb-client-core'

const PARTS = [
  'select next_not_cached_value from s',
  'select * from mysql.global_priv order by 1, 2',
  'select variable_name, variable_value from information_schema.global_variables where variable_name not regexp "timestamp|insert_id|gtid|rand_seed|innodb_buffer|identity|pseudo|error_count|warning_count|last_" order by 1',
]

const MARIADB: ServerKind = {
  name: 'mariadb',
  listens: false,
  install: ({ data }) => [
    installed('mariadb-install-db') ?? '',
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ],
  serve: ({ data, socket }) => [
    installed('mariadbd') ?? '',
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    '--skip-networking',
    '--innodb-flush-log-at-trx-commit=0',
  ],
  parts: PARTS,
}

/** A MariaDB server of its own with the objects of the corpus. */
export const startMariadbWorld = (): Promise<ServerWorld> => startServerWorld(MARIADB)

function mariadbd(tree: string, place: ServerPlace): Words {
  const seen = seenTree(place)
  return [
    ...serverOf(tree, 'usr/sbin/mariadbd', place),
    '--no-defaults',
    `--basedir=${join(seen, 'usr')}`,
    `--lc-messages-dir=${join(seen, 'usr/share/mariadb')}`,
    `--character-sets-dir=${join(seen, 'usr/share/mariadb/charsets')}`,
    `--datadir=${place.data}`,
  ]
}

/** What `mariadb-install-db` does, whose other programs are those of this machine. */
const BOOTSTRAP = `install -d -o ${NOBODY} -g ${NOBODY} "$1" && cd "$2" && shift 2 &&
  { printf '%s;\\n' 'create database mysql' 'use mysql' 'set @auth_root_socket = null'
    cat mariadb_system_tables.sql mariadb_performance_tables.sql mariadb_system_tables_data.sql \\
      maria_add_gis_sp_bootstrap.sql mariadb_sys_schema.sql fill_help_tables.sql; } | "$@"`

const treeKind = (tree: string): ServerKind => ({
  name: 'mariadb-11',
  leavesRoot: true,
  listens: true,
  install: (place) => [
    ...(['sh', '-c', BOOTSTRAP, 'sh', place.data, join(tree, 'usr/share/mariadb')] as const),
    ...mariadbd(tree, place),
    '--bootstrap',
  ],
  serve: (place) => [
    ...mariadbd(tree, place),
    `--socket=${place.socket}`,
    '--bind-address=127.0.0.1',
    `--port=${place.port}`,
    '--innodb-flush-log-at-trx-commit=0',
    // Whatever is written is there, too.
    '--log-bin',
    '--sync-binlog=0',
    '--log-bin-trust-function-creators=1',
  ],
  parts: [
    ...PARTS,
    'select * from mysql.db order by 1, 2, 3',
    'select * from mysql.tables_priv order by 1, 2, 3',
    'select * from mysql.roles_mapping order by 1, 2, 3',
    'select * from mysql.servers order by 1',
    'select * from mysql.gtid_slave_pos order by 1, 2, 3',
    'select * from mysql.table_stats order by 1, 2',
    'select * from mysql.plugin order by 1',
    'select * from mysql.proc order by 1, 2, 3',
    'select next_not_cached_value from x_seq',
    'checksum table vectors, periods',
    'select * from performance_schema.setup_consumers order by 1',
    'select * from sys.sys_config order by 1',
    'show binary logs',
  ],
})

/** The same from a tree of Debian with its package. */
export const startMariadbTree = (tree: string): Promise<ServerWorld> => startServerWorld(treeKind(tree))
