import type { ErrorSpec } from '@fleet/kernel'

/** What can be wrong with the PHP that serves a development source. */
export const phpErrors = {
  'app-dev.php_version_unsupported': {
    status: 502,
    message:
      'The package sources of the Node have no PHP that `require.php` of composer.json accepts. `details.constraint` is the requirement, `details.available` lists the versions that the Node can install.',
    retry: 'change',
  },
  'app-dev.php_package_source_unavailable': {
    status: 502,
    message:
      'The package sources of the Node have no PHP, or could not be reached. Check the sources of apt and the network of the Node, then run the same command again.',
    retry: 'repeat',
  },
  'app-dev.source_evidence_changed': {
    status: 502,
    message:
      'The PHP requirement in composer.json no longer fits the version that was recorded for this source. Restore it, or destroy the Instance and create it again.',
    retry: 'change',
  },
  'app-dev.php_pool_directory_missing': {
    status: 502,
    message:
      'The directory of a PHP pool is missing on the Node, so the pool was left out. All others are published. `details.directories` lists the missing ones.',
    retry: 'change',
  },
  'app-prod.php_version_unsupported': {
    status: 502,
    message:
      'The package sources of the Node have no PHP that `require.php` of composer.json accepts, or the source no longer accepts the recorded version.',
    retry: 'change',
  },
  'app-prod.php_package_source_unavailable': {
    status: 502,
    message:
      'The package sources of the Node have no PHP, or could not be reached. Check the sources of apt and the network of the Node, then run the same command again.',
    retry: 'repeat',
  },
  'app-prod.php_runtime_failed': {
    status: 502,
    message:
      'The PHP service of a production Instance could not be published. The previous configuration is still in use. `details.stage` and `details.message` give the stage and the cause.',
    retry: 'repeat',
  },
  'app-prod.php_runtime_identity_invalid': {
    status: 502,
    message:
      'The tuning of a PHP service in `details.file` on the Node overrides who runs the code or where it listens, or is no regular file. Remove the line with `details.setting`, then run the same command again.',
    retry: 'change',
  },
  'app-prod.php_cache_socket_unavailable': {
    status: 502,
    message:
      'The PHP service of the Instance does not answer on its socket, so its opcode cache was not reset. `fleet node:converge NODE --force` starts it; then deploy again.',
    retry: 'repeat',
  },
  'app-prod.php_cache_association_invalid': {
    status: 502,
    message:
      'Another PHP pool answers on the socket of the Instance, so its opcode cache was not reset. Remove the foreign pool from the Node, run `fleet node:converge NODE --force`, then deploy again.',
    retry: 'change',
  },
  'app-prod.php_cache_reset_rejected': {
    status: 502,
    message:
      'PHP refused to reset its opcode cache: it is off, or restricted by `opcache.restrict_api`. Remove that setting from the Node, then deploy again.',
    retry: 'change',
  },
  'app-prod.php_cache_reset_pending': {
    status: 504,
    message:
      'A reset of the opcode cache was requested, but no later request has confirmed it: requests that began before still run. The new release is selected; deploy or roll back again once they have ended.',
    retry: 'repeat',
  },
  'app-dev.php_runtime_failed': {
    status: 502,
    message:
      'The PHP pools of the Node could not be published. The previous configuration is still in use. `details.stage` and `details.message` give the stage and the cause.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

/** Codes of work on the PHP service of a production Instance. */
export const productionPhpErrors = [
  'app-prod.php_version_unsupported',
  'app-prod.php_package_source_unavailable',
  'app-prod.php_runtime_failed',
  'app-prod.php_runtime_identity_invalid',
  'node_role.tool_manager_locked',
  'node_role.packages_unavailable',
  'node_role.disk_full',
  'node_role.package_failed',
] as const

/** Codes of work on the PHP pools of a Node. */
export const phpPublicationErrors = [
  'app-dev.php_version_unsupported',
  'app-dev.php_package_source_unavailable',
  'app-dev.source_evidence_changed',
  'app-dev.php_pool_directory_missing',
  'app-dev.php_runtime_failed',
  'node_role.tool_manager_locked',
  'node_role.packages_unavailable',
  'node_role.disk_full',
  'node_role.package_failed',
] as const
