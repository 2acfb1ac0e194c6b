import type { NextSteps } from './step.ts'
import { AGAIN } from './words.ts'

const LOCK =
  'details says which file and which check. Let the package manager write the lock file again, then run the same command.'

/** Databases and dependencies. */
export const dataSteps = {
  'database.query_failed':
    'A read can be sent again. Before a write is sent again, look what the first one did: its outcome may be unknown.',
  'database.not_found': 'fleet database:list shows the registered ones.',
  'database.write_required': 'Run the same command with --write.',
  'database.sql_multiple_statements': 'Run one command for each statement.',
  'database.sqlite_node_required': 'Set it first: fleet database:update SLUG --node NODE',
  'database.table_missing': 'fleet database:tables SLUG',
  'database.connection_attached':
    'Each Instance of the details: fleet instance:database:remove INSTANCE SLUG --prefix PREFIX. Each Process: fleet process:destroy PROCESS',
  'database.slug_conflict': 'fleet database:list shows the slugs that are in use.',
  'database.attachment_missing': 'fleet instance:show INSTANCE shows its databases and their prefixes.',
  'database.server_slug_conflict':
    'fleet database:server:list shows the servers. Choose another slug. Or remove that server, if it was a mistake: fleet database:server:destroy SLUG, which keeps its volume and refuses one with databases.',
  'database.server_port_in_use':
    'Name another port: --port PORT. fleet process:list shows the Processes of the Node.',
  'database.name_conflict': 'Choose another slug. fleet database:list shows the databases.',
  'database.server_missing': 'fleet database:server:list shows the servers.',
  'database.server_required': 'fleet database:server:list shows the servers of the fleet.',
  'dependencies.instance_unavailable': 'fleet instance:show INSTANCE shows its state and what is wrong.',
  'dependencies.target_not_found':
    'fleet instance:list shows the Instances with their domains and directories.',
  'dependencies.target_ambiguous': 'fleet instance:list shows the ids.',
  'dependencies.incomplete_source': `details says which file is missing. Commit both, manifest and lock file. ${AGAIN}`,
  'dependencies.source_unavailable':
    'details says which file. It must be a regular file inside the checkout that its user can read.',
  'dependencies.unsafe_source':
    'details says which file. It must be a regular file inside the checkout that its user can change.',
  'dependencies.ambiguous_manager':
    'details names them. Delete the lock files of the managers that you do not use, or name one as packageManager in package.json.',
  'dependencies.unsupported_format': LOCK,
  'dependencies.unsupported_layout':
    'Only projects without workspaces and local packages can be read. details says which entry is one.',
  'dependencies.invalid_manifest': 'details says which file and which check.',
  'dependencies.invalid_composer_input': LOCK,
  'dependencies.invalid_npm_input': LOCK,
  'dependencies.invalid_pnpm_input': LOCK,
  'dependencies.invalid_bun_input': LOCK,
  'dependencies.stale_npm_lockfile': `In the checkout: npm install. ${AGAIN}`,
  'dependencies.stale_pnpm_lockfile': `In the checkout: pnpm install. ${AGAIN}`,
  'dependencies.stale_bun_lockfile': `In the checkout: bun install. ${AGAIN}`,
  'dependencies.production_update_forbidden':
    'Update a development Instance, push, then fleet instance:deploy INSTANCE',
  'dependencies.unsupported_delegation': 'fleet tool:manager:list NODE shows the managers of the Node.',
  'dependencies.update_failed':
    'In the checkout: git status shows what changed. Run the package manager there to see its output.',
} as const satisfies NextSteps
