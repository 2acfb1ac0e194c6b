import * as z from 'zod'
import { operation } from '../operation.ts'
import { registryName } from '../params.ts'
import { nodeIdentity } from './records.ts'

export const nodeResolve = operation({
  name: 'node:resolve',
  group: 'Nodes',
  method: 'GET',
  path: '/nodes/resolve',
  access: 'peer',
  input: z.strictObject({ name: registryName.describe('Exact name.') }),
  output: nodeIdentity,
  errors: ['node.not_found'],
  summary: 'Find a Node by its exact name',
  positional: ['name'],
  description:
    'Finds the Nodes that the caller can access, and those that can access one of them, as `node:show` names them. A caller with a grant on the gateway Node can give grants on every Node, and finds every Node.',
})
