import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { commandErrors } from './errors.ts'
import { node } from './records.ts'

export const nodeSettingsUpdate = operation({
  name: 'node:settings',
  group: 'Nodes',
  method: 'PATCH',
  path: '/nodes/{node}/settings',
  access: 'node',
  // The shape below `settings` has a code of its own: node.settings_invalid.
  input: z.strictObject({
    node: id,
    settings: z.unknown().describe('Object with one member, `apps`, which contains `path` or is null.'),
  }),
  output: node,
  errors: [
    'node.settings_invalid',
    'node.settings_path_invalid',
    'node.settings_path_protected',
    'node.settings_path_managed',
    'node.settings_root_failed',
    'node.not_active',
    'node.provisioning_busy',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found' },
  summary: 'Set the directory for development checkouts on a Node',
  description:
    'The body is `{settings: {apps: {path}}}`. A null `path` or `apps` restores the default. Existing checkouts do not move.',
})
