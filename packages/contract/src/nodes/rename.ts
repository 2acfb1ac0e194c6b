import * as z from 'zod'
import { operation } from '../operation.ts'
import { id, registryName } from '../params.ts'
import { node } from './records.ts'

export const nodeRename = operation({
  name: 'node:rename',
  group: 'Nodes',
  method: 'PATCH',
  path: '/nodes/{node}/name',
  access: 'node',
  input: z.strictObject({ node: id, name: registryName.describe('The new name.') }),
  output: node,
  errors: ['node.name_taken', 'node.provisioning_busy'],
  unknown: { node: 'node.not_found' },
  summary: 'Rename a Node',
  positional: ['node', 'name'],
  description:
    'Id, keys, addresses, SSH identity and roles do not change. The current name succeeds and changes nothing. A name that leads to something else in the private network is refused: that of another Node, in whatever case, and one whose domain below the private suffix a Route has.',
})
