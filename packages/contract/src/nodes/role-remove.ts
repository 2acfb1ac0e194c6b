import * as z from 'zod'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { commandErrors } from './errors.ts'
import { roleNames, roleRemoval } from './records.ts'
import { roleOperationErrors } from './role-errors.ts'

export const nodeRoleRemove = operation({
  name: 'node:role:remove',
  group: 'Nodes',
  method: 'DELETE',
  path: '/nodes/{node}/roles/{role}',
  access: 'roleNodes',
  input: z.strictObject({
    node: id,
    role: z.enum(roleNames),
    force: flag
      .optional()
      .describe('Confirmation from a client that cannot ask a person. It skips no check.'),
    purge_data: flag
      .optional()
      .describe(
        'Also delete the data of the role on the Node. No role has data of its own yet, so nothing is.',
      ),
    offline: flag.optional().describe('Remove only the record. Nothing changes on the machine.'),
  }),
  output: roleRemoval,
  watchable: true,
  errors: [
    'node_role.not_found',
    'node_role.in_use',
    'node_role.remove_failed',
    ...roleOperationErrors,
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found' },
  unnamed: { role: 'node_role.not_found' },
  summary: 'Remove a role from a Node',
  description:
    'Fails while Instances or Routes depend on the role. With `app-dev` go the exclusions of Projects from the Node (`node:excluded-project:list`), which do not come back with the role. Removing the last role of a Node opens public SSH first. If a removal failed, repeat the request to resume it, or use `offline`.',
})
