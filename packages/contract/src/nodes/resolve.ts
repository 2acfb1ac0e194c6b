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
  summary: 'Find the id of a Node by its name',
  positional: ['name'],
  description:
    'Finds the Nodes that the caller may address. Whoever may act on the gateway Node may give grants on any Node, and finds every one.',
})
