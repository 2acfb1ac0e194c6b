import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { environmentSynced } from './records.ts'

/** What writing the files of an Instance can answer, beside the errors of every command. */
export const environmentSyncErrors = [
  'env.owner_unavailable',
  'instance.placement_unavailable',
  'instance.source_profile_missing',
  'instance.transfer_incomplete',
  'env.source_unsafe',
  'env.configuration_invalid',
  'env.reference_unavailable',
  'env.sync_would_drop_keys',
  'env.sync_unconfirmed',
  'env.write_failed',
  'env.testing_tracking_unknown',
  'database.password_unreadable',
  'env.operation_busy',
  'node.not_active',
  'node.command_failed',
  'node.capability_missing',
] as const

export const envSync = operation({
  name: 'env:sync',
  group: 'Environment',
  method: 'POST',
  path: '/instances/{instance}/environment/sync',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId }),
  output: environmentSynced,
  errors: [...environmentSyncErrors, 'node.lock_lost', ...commandErrors],
  unknown: { instance: 'instance.not_found' },
  summary: "Replace the Instance's .env file with the stored configuration",
  description:
    'Values that somebody changed in the file are replaced by the stored ones, and comments are lost: `replaced_keys` and the Activity name those keys, also where a deployment, a transfer or a change of a Route synchronizes. Store a value with `env:update` to keep it. For PHP projects other than Symfony the file is quoted for phpdotenv, for all others for dotenv and shells. The Activity records which as `readers`. For an Instance that owns the database attached under `DB`, `.env.testing` gets the keys of its test database, unless Git tracks that file; then the Activity records the name as `testing`.',
})
