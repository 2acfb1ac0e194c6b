import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { roleAssignment } from './records.ts'

export const nodeRoleList = operation({
  name: 'node:role:list',
  group: 'Nodes',
  method: 'GET',
  path: '/nodes/{node}/roles',
  access: 'node',
  input: z.strictObject({ node: id }),
  output: z.array(roleAssignment),
  unknown: { node: 'node.not_found' },
  summary: 'List the role assignments of a Node',
})
