import { textFile } from '@fleet/shell'
import { markerText, unitWord } from '#/managed-services/api.ts'
import { WEB_SERVER } from '#/php/pool.ts'
import {
  productionPaths,
  type ProductionPool,
  productionPools,
  type ProductionService,
} from '#/php/production/service-record.ts'
import { GRACE_SECONDS, IDLE_SECONDS, MARKER, MAX_REQUESTS, opcacheText, quoted } from '#/php/service/text.ts'

const MAX_CHILDREN = 20

/** Names a service in its files, so that no file of somebody else is replaced or removed. */
export const markerOf = ({ user }: Pick<ProductionService, 'user'>): string => markerText('php', user)

/**
 * The configuration of the process manager with all pools; `tuning` is what the operator says of the default one. Identity comes
 * after it, and wins (RTX-126). Throws UnsafeDirectory.
 */
export const configurationText = (service: ProductionService, tuning: readonly string[]): string =>
  [
    `${MARKER}\n[global]\ndaemonize = no\nerror_log = syslog\nprocess_control_timeout = ${GRACE_SECONDS}s\n`,
    ...productionPools(service).map((pool) => poolText(service, pool, pool.isDefault ? tuning : [])),
  ].join('\n')

/** Code of a release never changes: a new release is another path, and a deployment resets the cache (RTX-127). */
const poolText = (
  { user }: ProductionService,
  { name, socket, directory }: ProductionPool,
  tuning: readonly string[],
): string =>
  [
    `[${name}]
pm = ondemand
pm.process_idle_timeout = ${IDLE_SECONDS}s
pm.max_requests = ${MAX_REQUESTS}
pm.max_children = ${MAX_CHILDREN}`,
    ...tuning,
    `user = ${user}
listen = ${socket}
listen.owner = ${user}
listen.group = ${WEB_SERVER}
listen.mode = 0660
chdir = ${quoted(directory)}
security.limit_extensions = .php
php_admin_value[opcache.validate_timestamps] = 0
`,
  ].join('\n')

/** Of the process manager alone (RTX-128). */
export const MASTER_TEXT: string = opcacheText({ memory: 256, internedStrings: 32 })

export const CACHE_TEXT: string = textFile('cache.php', import.meta.url)

/** Its manager is root's and begins workers as the Unix user. */
export function unitText(service: ProductionService): string {
  const { user, version } = service
  const { configuration, generated } = productionPaths(service)
  return `# ${markerOf(service)}
[Unit]
Description=PHP ${version} of ${user}
After=network.target

[Service]
Type=notify
Environment=${unitWord(`PHP_INI_SCAN_DIR=/etc/php/${version}/fpm/conf.d:${generated}`)}
ExecStart=/usr/sbin/php-fpm${version} --nodaemonize --fpm-config ${configuration}
ExecReload=/bin/kill -USR2 $MAINPID
Restart=on-failure
RestartSec=1

[Install]
WantedBy=multi-user.target
`
}
