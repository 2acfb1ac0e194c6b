import * as z from 'zod'
import { changeErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { toolWorkErrors } from './errors.ts'
import { tool, toolRequest } from './records.ts'

export const toolInstall = operation({
  name: 'tool:install',
  group: 'Tools',
  method: 'POST',
  path: '/tools',
  access: 'bodyNode',
  input: z.strictObject(toolRequest),
  output: tool,
  creates: true,
  watchable: true,
  errors: [
    ...toolWorkErrors,
    'tool.manager_provision_failed',
    'tool.package_invalid',
    'tool.already_installed_unmanaged',
    'tool.constraint_invalid',
    'tool.constraint_conflict',
    'tool.version_constraint_blocked',
    'tool.candidate_version_unavailable',
    'tool.candidate_version_unparseable',
    'tool.installed_version_unparseable',
    'tool.installed_version_constraint_violated',
    'tool.install_failed',
    'tool.state_invalid',
    'node.not_found',
    ...changeErrors,
  ],
  positional: ['node_id', 'manager', 'package'],
  summary: 'Install a package on a Node and record it as a Tool',
  description:
    'Installs the version that the manager offers; with `version_constraint` only if that version is in the range. A package that is already installed is refused; record it with `tool:adopt`. Repeating the same request returns the Tool and changes nothing, or tries again what failed. Packages that Fleet itself needs are refused. An installation never removes other packages.',
})
