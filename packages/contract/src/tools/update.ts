import * as z from 'zod'
import { changeErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { toolWorkErrors } from './errors.ts'
import { tool } from './records.ts'

export const toolUpdate = operation({
  name: 'tool:update',
  group: 'Tools',
  method: 'POST',
  path: '/tools/{tool}/update',
  access: 'toolNode',
  input: z.strictObject({ tool: id }),
  output: tool,
  watchable: true,
  errors: [
    ...toolWorkErrors,
    'tool.manager_provision_failed',
    'tool.candidate_version_unavailable',
    'tool.candidate_version_unparseable',
    'tool.installed_version_unparseable',
    'tool.installed_version_constraint_violated',
    'tool.update_failed',
    'tool.state_invalid',
    ...changeErrors,
  ],
  unknown: { tool: 'tool.not_found' },
  summary: 'Update a Tool to the version that its manager offers',
  description:
    'The `outcome` is `applied`, `unchanged`, or `blocked_by_constraint` when the offered version is outside the version constraint; the Tool then stays as it is.',
})
