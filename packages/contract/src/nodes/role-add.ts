import * as z from 'zod'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { commandErrors } from './errors.ts'
import { roleAddition, roleNames } from './records.ts'
import { roleOperationErrors } from './role-errors.ts'

export const nodeRoleAdd = operation({
  name: 'node:role:add',
  group: 'Nodes',
  method: 'POST',
  path: '/nodes/{node}/roles',
  access: 'node',
  input: z.strictObject({
    node: id,
    role: z.enum(roleNames),
    converge_existing: flag.optional().describe('Converge the role again when the Node holds it already.'),
    postgres_process_id: id.optional().describe('For `analytics`: the Process that is its PostgreSQL.'),
    clickhouse_process_id: id.optional().describe('For `analytics`: the Process that is its ClickHouse.'),
  }),
  output: roleAddition,
  creates: true,
  watchable: true,
  errors: [
    'node.role_conflict',
    'node.tld_required',
    'node_role.convergence_failed',
    ...roleOperationErrors,
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found' },
  positional: ['node', 'role'],
  summary: 'Give a Node a role',
  description:
    'Installs and starts what the role needs. A role that the Node holds already is answered as it is; one whose convergence failed or was cut off goes on. `vpn` and `router` are assigned elsewhere.',
})
