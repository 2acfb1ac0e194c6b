import type { ErrorSpec } from '@fleet/kernel'

/** What can be wrong with the PHP that serves a development source. */
export const phpErrors = {
  'app-dev.php_version_unsupported': {
    status: 409,
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
    status: 409,
    message:
      'The PHP requirement in composer.json no longer fits the version that was recorded for this source. Restore it, or destroy the Instance and create it again.',
    retry: 'change',
  },
  'app-dev.php_pool_directory_missing': {
    status: 409,
    message:
      'The directory of a PHP pool is missing on the Node, so the pool was left out. All others are published. `details.directories` lists the missing ones.',
    retry: 'change',
  },
  'app-dev.php_runtime_failed': {
    status: 502,
    message:
      'The PHP pools of the Node could not be published. The previous configuration is still in use. `details.stage` and `details.message` give the stage and the cause.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

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
