import type { Pool } from '#/php/pool.ts'

/** Who runs the code, and where the sockets are. */
export interface PoolSettings {
  /** Managed user of the Node. */
  readonly user: string
  /** Group of the web server, which may use the sockets. */
  readonly group: string
  /** Absolute folder of the sockets. */
  readonly sockets: string
}

/** PHP cuts a request off after as long itself. Without it, a reload would end every request that is being answered. */
export const GRACE_SECONDS = 30
export const IDLE_SECONDS = 10
export const MAX_REQUESTS = 500
const MAX_CHILDREN = 10

export const MARKER = '; Written by Fleet from its records. Changes made here are replaced.'

/** A directory that cannot be a value of the file. */
export class UnsafeDirectory extends Error {}

/** All pools of one version, in one file: the same pools give the same bytes (RTX-119, RTX-120). */
export const poolsText = (pools: readonly Pool[], settings: PoolSettings): string =>
  [
    `${MARKER}\n[global]\nprocess_control_timeout = ${GRACE_SECONDS}s\n`,
    ...pools.toSorted(byName).map((pool) => poolText(pool, settings)),
  ].join('\n')

/** The section of one pool. Throws UnsafeDirectory. */
export const poolText = (
  { name, directory }: Pool,
  { user, group, sockets }: PoolSettings,
): string => `[${name}]
user = ${user}
listen = ${sockets}/${name}.sock
listen.owner = ${user}
listen.group = ${group}
listen.mode = 0660
chdir = ${quoted(directory)}
pm = ondemand
pm.process_idle_timeout = ${IDLE_SECONDS}s
pm.max_requests = ${MAX_REQUESTS}
pm.max_children = ${MAX_CHILDREN}
security.limit_extensions = .php
php_admin_value[opcache.validate_timestamps] = 1
php_admin_value[opcache.revalidate_freq] = 0
`

/** Sizes in megabytes. */
export interface OpcacheSizes {
  readonly memory: number
  readonly internedStrings: number
}

/** Of the process manager alone, for all of its pools (RTX-128). */
export const opcacheText = ({ memory, internedStrings }: OpcacheSizes): string => `${MARKER}
; priority=99
opcache.enable = 1
opcache.memory_consumption = ${memory}
opcache.interned_strings_buffer = ${internedStrings}
opcache.max_accelerated_files = 65407
opcache.jit = off
opcache.jit_buffer_size = 0
opcache.preload =
opcache.file_cache =
opcache.huge_code_pages = 0
`

/** For every development pool of a version (RTX-121). */
export const RUNTIME_TEXT: string = opcacheText({ memory: 512, internedStrings: 64 })

/** Quotes, backslashes and variables have a meaning of their own in a quoted value. */
export function quoted(directory: string): string {
  if (/[\p{Cc}"\\$]/u.test(directory)) throw new UnsafeDirectory(directory)
  return `"${directory}"`
}

const byName = (one: Pool, other: Pool): number =>
  one.name < other.name ? -1 : Number(one.name > other.name)
