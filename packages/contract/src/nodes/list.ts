import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { node } from './records.ts'

export const nodeList = operation({
  name: 'node:list',
  group: 'Nodes',
  method: 'GET',
  path: '/nodes',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(node),
  summary: 'List the Nodes that the caller can access, sorted by name',
})
