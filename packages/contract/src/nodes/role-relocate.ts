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
  access: 'node',
  destructive: true,
  input: z.strictObject({
    node: id.describe('The Node to hold the role.'),
    role: z.enum(roleNames),
    force: flag.optional().describe('Consent of a client that asks nobody; skips no guard.'),
    from: id.optional().describe('The Node that held the role; completes a move that stopped half way.'),
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
  summary: 'Move a role that only one Node may hold to another Node',
  description:
    'Moves `gateway`, `websocket` or `metrics`. The process that serves the gateway is not moved. When the move stops half way, the role works on the new Node already and the error names the `from` that completes it.',
})
