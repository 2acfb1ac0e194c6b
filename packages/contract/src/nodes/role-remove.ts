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
  access: 'node',
  input: z.strictObject({
    node: id,
    role: z.enum(roleNames),
    force: flag.optional().describe('Consent of a client that asks nobody; skips no guard.'),
    purge_data: flag.optional().describe('Delete the data of the role on the Node too.'),
    offline: flag.optional().describe('Take away the record alone; nothing on the machine changes.'),
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
  summary: 'Take a role away from a Node',
  description:
    'Refused while the role hosts Instances or Routes. The last role of a Node first opens public SSH again. A removal that failed is finished by the identical request, or with `offline`.',
})
