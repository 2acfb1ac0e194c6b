import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ServerKind, type ServerWorld, startServerWorld } from './server-world.ts'

const installed = (program: string): string | undefined =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

/** Why there is no server on this machine, or undefined. */
export const missingMariadb = (): string | undefined =>
  ['mariadbd', 'mariadb-install-db', 'my_print_defaults'].every((name) => installed(name))
    ? undefined
    : 'no MariaDB on this machine: apt-get install mariadb-server-core mariadb-client-core'

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
  parts: [
    'select next_not_cached_value from s',
    'select * from mysql.global_priv order by 1, 2',
    'select variable_name, variable_value from information_schema.global_variables where variable_name not regexp "timestamp|insert_id|gtid|rand_seed|innodb_buffer|identity|pseudo|error_count|warning_count|last_" order by 1',
  ],
}

/** A MariaDB server of its own with the objects of the corpus. */
export const startMariadbWorld = (): Promise<ServerWorld> => startServerWorld(MARIADB)
