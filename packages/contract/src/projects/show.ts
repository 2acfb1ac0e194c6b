import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { projectDetail } from './records.ts'

export const projectShow = operation({
  name: 'project:show',
  group: 'Projects',
  method: 'GET',
  path: '/projects/{project}',
  access: 'projectAddressable',
  input: z.strictObject({ project: id }),
  output: projectDetail,
  unknown: { project: 'project.not_found' },
  summary: 'Show one Project with its excluded Nodes',
})
