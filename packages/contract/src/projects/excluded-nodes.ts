import * as z from 'zod'
import { exclusion, exclusionResult } from '../nodes/records.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'

const unknown = { project: 'project.not_found', node: 'node.not_found' } as const

export const projectExcludedNodeList = operation({
  name: 'project:excluded-node:list',
  group: 'Projects',
  method: 'GET',
  path: '/projects/{project}/excluded-nodes',
  access: 'projectAddressable',
  input: z.strictObject({ project: id }),
  output: z.array(exclusion),
  unknown: { project: unknown.project },
  summary: 'List the Nodes that do not take a Project for development, by name',
  description: 'Holds Nodes that the caller may address.',
})

export const projectExcludedNodeAdd = operation({
  name: 'project:excluded-node:add',
  group: 'Projects',
  method: 'POST',
  path: '/projects/{project}/excluded-nodes/{node}',
  access: 'node',
  input: z.strictObject({ project: id, node: id }),
  output: exclusionResult,
  errors: ['project.excluded_node_not_app_dev'],
  unknown,
  summary: 'Keep new development Instances of a Project off a Node, seen from the Project',
  description: 'Existing Instances stay. Production placement ignores the list.',
})

export const projectExcludedNodeRemove = operation({
  name: 'project:excluded-node:remove',
  group: 'Projects',
  method: 'DELETE',
  path: '/projects/{project}/excluded-nodes/{node}',
  access: 'node',
  input: z.strictObject({ project: id, node: id }),
  output: exclusionResult,
  errors: ['project.excluded_node_missing'],
  unknown,
  summary: 'Let a Node take new development Instances of a Project again, seen from the Project',
})
