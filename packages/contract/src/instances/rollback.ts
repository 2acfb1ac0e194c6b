import * as z from 'zod'
import { deploymentLine, detach, releaseName } from '../deployments/records.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'

export const instanceRollback = operation({
  name: 'instance:rollback',
  group: 'Deployments',
  method: 'POST',
  path: '/instances/{instance}/rollback',
  access: 'instanceNode',
  kind: 'stream',
  input: z.strictObject({
    instance: instanceId,
    release: releaseName.describe('A release that instance:releases lists.'),
    detach,
  }),
  output: deploymentLine,
  errors: [
    'deployment_config.unavailable',
    'deployment.operation_busy',
    'instance.transfer_incomplete',
    'deployment.releases_unreadable',
    'node.not_active',
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'Select a release that a production Instance still has',
  description:
    'Fetches nothing, runs no step and does not write the environment. A client of the API that closes the connection cancels the rollback, unless `detach` is true, as from the command line. A rollback by a tool of MCP runs to its end whatever happens to the connection. The last line is the result.',
  positional: ['instance', 'release'],
  taskAction: true,
  endsWithClient: { unless: 'detach' },
})
