import * as z from 'zod'
import { instanceReleases } from '../deployments/records.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'

export const instanceReleasesList = operation({
  name: 'instance:releases',
  group: 'Deployments',
  method: 'GET',
  path: '/instances/{instance}/releases',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId }),
  output: instanceReleases,
  errors: [
    'deployment_config.unavailable',
    'node.not_active',
    'deployment.releases_unreadable',
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'List the releases that a production Instance keeps, and the selected one',
  description:
    'The selected release, the previous one and the newest other stay. A deployment deletes every older one with everything in it, such as uploads.',
})
