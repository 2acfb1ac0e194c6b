import * as z from 'zod'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { commandErrors } from './errors.ts'
import { roleNames, roleRelocation } from './records.ts'
import { roleOperationErrors } from './role-errors.ts'

export const nodeRoleRelocate = operation({
  name: 'node:role:relocate',
  group: 'Nodes',
  method: 'POST',
  path: '/nodes/{node}/roles/{role}/relocate',
  access: 'relocationNodes',
  destructive: true,
  input: z.strictObject({
    node: id.describe('The Node that receives the role.'),
    role: z.enum(roleNames),
    force: flag
      .optional()
      .describe('Confirmation from a client that cannot ask a person. It skips no check.'),
    from: id.optional().describe('The former Node of the role; completes an interrupted move.'),
  }),
  output: roleRelocation,
  watchable: true,
  errors: [
    'node_role.not_found',
    'node_role.convergence_failed',
    'node_role.relocation_incomplete',
    ...roleOperationErrors,
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found' },
  unnamed: { role: 'node_role.not_found' },
  summary: 'Move a role to another Node',
  description:
    'Moves `gateway`, `websocket` or `metrics`, the roles that only one Node can have. The gateway process itself does not move. If the move is interrupted after the role is active on the new Node, the error names the `from` that completes it.',
})
