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
  summary: 'List the Nodes excluded from development of a Project, sorted by name',
  description: 'Contains only Nodes that the caller can access.',
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
  summary: 'Exclude a Node from development of a Project (same as `node:excluded-project:add`)',
  description:
    'The Node gets no new development Instances of the Project. Existing Instances are kept. Production placement ignores the exclusion.',
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
  summary: 'Allow development of a Project on a Node again (same as `node:excluded-project:remove`)',
})
