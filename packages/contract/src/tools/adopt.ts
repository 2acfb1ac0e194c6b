import * as z from 'zod'
import { changeErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { toolWorkErrors } from './errors.ts'
import { tool, toolRequest } from './records.ts'

export const toolAdopt = operation({
  name: 'tool:adopt',
  group: 'Tools',
  method: 'POST',
  path: '/tools/adopt',
  access: 'bodyNode',
  input: z.strictObject(toolRequest),
  output: tool,
  creates: true,
  errors: [
    ...toolWorkErrors.filter((code) => code !== 'tool.package_protected'),
    'tool.package_invalid',
    'tool.package_absent',
    'tool.constraint_invalid',
    'tool.constraint_conflict',
    'tool.installed_version_unparseable',
    'tool.installed_version_constraint_violated',
    'tool.state_invalid',
    'tool.adoption_unsupported',
    'node.not_found',
    ...changeErrors,
  ],
  positional: ['node_id', 'manager', 'package'],
  summary: 'Record a package that is installed on a Node as a Tool, without changing it',
  description:
    'The Node is read again. Not every package can be adopted: `tool:scan` shows which, and `details.adoption_block` says why not. From then on the package is managed as one that `tool:install` installed: what takes the record away is `tool:remove`, and that removes the package.',
})
