import * as z from 'zod'
import { changeErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { toolWorkErrors } from './errors.ts'
import { tool } from './records.ts'

export const toolRemove = operation({
  name: 'tool:remove',
  group: 'Tools',
  method: 'DELETE',
  path: '/tools/{tool}',
  access: 'toolNode',
  input: z.strictObject({ tool: id }),
  output: tool,
  watchable: true,
  errors: [...toolWorkErrors, 'tool.removal_plan_unsafe', 'tool.remove_failed', ...changeErrors],
  unknown: { tool: 'tool.not_found' },
  summary: 'Remove a Tool: the package from the Node, then its record',
  description:
    'apt is asked first what it would remove; if that is more than this package, nothing is removed. Composer is asked whether another package requires it. Configuration files and dependencies stay. A package that is already gone counts as removed.',
})
