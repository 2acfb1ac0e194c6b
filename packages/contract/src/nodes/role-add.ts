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
  access: 'roleNodes',
  input: z.strictObject({
    node: id,
    role: z.enum(roleNames),
    converge_existing: flag.optional().describe('Converge the role again if the Node already has it.'),
    postgres_process_id: id.optional().describe('For `analytics`: the Process that is its PostgreSQL.'),
    clickhouse_process_id: id.optional().describe('For `analytics`: the Process that is its ClickHouse.'),
  }),
  output: roleAddition,
  creates: true,
  watchable: true,
  errors: [
    'node.role_conflict',
    'cluster.membership_missing',
    'cluster.router_busy',
    'node.tld_required',
    'node_role.convergence_failed',
    ...roleOperationErrors,
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found' },
  positional: ['node', 'role'],
  summary: 'Assign a role to a Node',
  description:
    'Installs and starts what the role needs. If the Node already has the role, its record is returned unchanged; if the convergence of the role failed or was interrupted, it resumes. To assign `vpn` use `node:add`, for `router` use `cluster:router:set`. An `ingress` is the public edge of the Cluster of its Node; a Cluster has one.',
})
