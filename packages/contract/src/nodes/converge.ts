import * as z from 'zod'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { commandErrors } from './errors.ts'
import { footprint } from './records.ts'

export const nodeConverge = operation({
  name: 'node:converge',
  group: 'Nodes',
  method: 'POST',
  path: '/nodes/{node}/converge',
  access: 'node',
  input: z.strictObject({
    node: id,
    force: flag
      .optional()
      .describe(
        'Also check what this release has not changed, and first repair the packages, tunnel, firewall and resolver of the Node.',
      ),
  }),
  output: footprint,
  watchable: true,
  errors: [
    'node.not_active',
    'node.capability_missing',
    'node.converge_unsupported',
    'node.footprint_failed',
    'node.footprint_caddy_failed',
    'node_role.node_busy',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found' },
  summary: 'Bring a Node to the desired state',
  description:
    'Also works on a Node with Instances, which keep running. Without `force`, only what this release of the gateway would install differently is applied. With `force`, the Node is reached over its tunnel or, if that does not answer, at its public SSH address. A configuration that the web server refuses is skipped: the previous one is still in use, and everything else is applied.',
})
