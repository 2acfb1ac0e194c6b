import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { exclusion, exclusionResult } from './records.ts'

const unknown = { node: 'node.not_found', project: 'project.not_found' } as const

export const nodeExcludedProjectList = operation({
  name: 'node:excluded-project:list',
  group: 'Nodes',
  method: 'GET',
  path: '/nodes/{node}/excluded-projects',
  access: 'node',
  input: z.strictObject({ node: id }),
  output: z.array(exclusion),
  unknown: { node: unknown.node },
  summary: 'List the Projects excluded from development on a Node, sorted by slug',
})

export const nodeExcludedProjectAdd = operation({
  name: 'node:excluded-project:add',
  group: 'Nodes',
  method: 'POST',
  path: '/nodes/{node}/excluded-projects/{project}',
  access: 'node',
  input: z.strictObject({ node: id, project: id }),
  output: exclusionResult,
  errors: ['project.excluded_node_not_app_dev'],
  unknown,
  summary: 'Exclude a Project from development on a Node',
  description:
    'The Node gets no new development Instances of the Project. Existing Instances are kept. Production placement ignores the exclusion.',
})

export const nodeExcludedProjectRemove = operation({
  name: 'node:excluded-project:remove',
  group: 'Nodes',
  method: 'DELETE',
  path: '/nodes/{node}/excluded-projects/{project}',
  access: 'node',
  input: z.strictObject({ node: id, project: id }),
  output: exclusionResult,
  errors: ['project.excluded_node_missing'],
  unknown,
  summary: 'Allow development of a Project on a Node again',
})
