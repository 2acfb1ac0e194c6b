import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import {
  process,
  processName,
  processPresets,
  processRuntimes,
  processSpec,
  processTargets,
  processUser,
} from './records.ts'

export const processCreate = operation({
  name: 'process:create',
  group: 'Processes',
  method: 'POST',
  path: '/processes',
  access: 'bodyTarget',
  input: z.strictObject({
    target_type: z.enum(processTargets).describe('What owns the Process.'),
    target_id: id.describe('Id of the Instance or the Node.'),
    name: processName.describe('Name, unique for its owner.'),
    ...processSpec,
    runtime: z.enum(processRuntimes).optional().describe('Required without `preset`.'),
    command: processSpec.command.optional(),
    preset: z
      .enum(processPresets)
      .optional()
      .describe(
        'A known command, instead of `runtime`, `command` and `working_directory`. Development Instances only.',
      ),
    start: z.boolean().optional().describe('Start it at once. Default: installed and stopped.'),
    user: processUser
      .optional()
      .describe('Account of a systemd Process of a Node. Default: its managed account.'),
  }),
  output: process,
  creates: true,
  watchable: true,
  errors: [
    'process.name_taken',
    'process.target_inactive',
    'process.release_unavailable',
    'process.operation_busy',
    'process.runtime_lock_failed',
    'process.user_unavailable',
    'process.platform_unsupported',
    'process.preset_unavailable',
    'process.not_active',
    'process.unit_conflict',
    'process.container_conflict',
    'process.port_unavailable',
    'process.image_unavailable',
    'process.runtime_failed',
    'process.node_unreachable',
    'database.not_found',
    'database.password_unreadable',
    'database.operation_busy',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'node.not_found',
    'instance.not_found',
    'node.capability_missing',
    'node.lock_lost',
    ...commandErrors,
  ],
  positional: ['target_type', 'target_id', 'name', 'command'],
  summary: 'Create a Process: a command that keeps running on a Node, on its own or for an Instance',
  description:
    'The runtime `systemd` installs the unit `orbit-process-<id>-<name>.service`; one of an Instance gets the variables of its `.env`, which it reads at every start. The runtime `docker` creates the container `orbit-process-<id>-<name>` and needs Docker on the Node, which the role `database` installs; its variables reach the Node on standard input, and its port, volume and image are those of the request. With `connections` it also gets the login of registered databases: a unit reads it from a file that only root can read, after the `.env`; a later change of a connection restarts it with the new values. A container is then created anew: it keeps its volumes, also those without a name, and loses what else it wrote in itself. Repeating the same request returns the stored Process and changes nothing, or completes a creation that was interrupted. A request with other values takes the place of a Process whose account or image the Node refused before it ever ran. A Process is not edited: destroy it and create it again. A unit that should run, but is not of a development Instance, also starts when the Node boots; a container does as its restart policy says.',
})
