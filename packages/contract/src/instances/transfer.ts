import * as z from 'zod'
import { environmentSyncErrors } from '../environment/sync.ts'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { dnsLabel, id, instanceId } from '../params.ts'
import { servingErrors } from '../routes/errors.ts'
import { instance } from './records.ts'
import { sqliteSourcePath } from './sqlite.ts'
import { seedErrors } from './sqlite-errors.ts'

export const instanceTransfer = operation({
  name: 'instance:transfer',
  group: 'Instances',
  method: 'POST',
  path: '/instances/{instance}/transfer',
  access: 'transferNodes',
  input: z.strictObject({
    instance: instanceId,
    node_id: id.describe('The Node that gets the Instance.'),
    name: dnsLabel.optional().describe('Name of the Instance from then on. Default: the name that it has.'),
    sqlite_source_path: sqliteSourcePath
      .optional()
      .describe(
        'A SQLite database of the Instance, on the Node that it leaves. It is carried as of one moment, also while somebody writes to it: to the same place in the checkout, or to the same path on the destination when it is elsewhere.',
      ),
  }),
  output: instance,
  creates: true,
  watchable: true,
  destructive: true,
  errors: [
    'node.not_found',
    'node.not_active',
    'instance.lifecycle_conflict',
    'instance.lifecycle_busy',
    'instance.production_refused',
    'instance.removal_conflict',
    'instance.same_node',
    'instance.node_inactive',
    'instance.node_not_app_dev',
    'instance.node_excluded',
    'instance.standalone_unsupported',
    'instance.identity_conflict',
    'instance.destination_exists',
    'instance.ports_exhausted',
    'instance.source_worktrees_mismatch',
    'instance.source_layout_mismatch',
    'instance.checkout_path_unsafe',
    'instance.source_path_mismatch',
    'instance.source_ownership_mismatch',
    'instance.source_failed',
    'instance.source_changed',
    'instance.transfer_retry_conflict',
    'instance.transfer_failed',
    'instance.transfer_cleanup_incomplete',
    'instance.transfer_cleanup_conflict',
    'instance.transfer_source_router_unknown',
    ...seedErrors,
    'project.update_in_progress',
    'schedule.target_in_use',
    'route.domain_invalid',
    'route.domain_conflict',
    'route.tld_required',
    'route.router_required',
    'route.node_inactive',
    'route.target_web_root_unsupported',
    'route.busy',
    ...environmentSyncErrors,
    'node.settings_root_failed',
    'node.capability_missing',
    'node.lock_lost',
    'http.draining',
    ...servingErrors,
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'Move a development Instance to another Node',
  description:
    'Its Processes stop, and its whole checkout is copied to the destination Node and compared: commits, branches, stashes, untracked files, modes and links. Then its record, Routes and Processes move, and the old checkout is deleted unless somebody has changed it since. Ids, stored environment and desired states stay; a generated domain follows the name and the Node. Until the record moves, a failure puts everything back; from then on the same request finishes the transfer. Data outside the checkout stays where it is, but for a copy of the database that `sqlite_source_path` names: also the volumes of a container, named or not, so that it starts with empty ones on the destination.',
  positional: ['instance', 'node_id'],
})
