import * as z from 'zod'
import { deploymentLine, detach, healthPath } from '../deployments/records.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'

export const instanceDeploy = operation({
  name: 'instance:deploy',
  group: 'Deployments',
  method: 'POST',
  path: '/instances/{instance}/deploy',
  access: 'instanceNode',
  kind: 'stream',
  input: z.strictObject({
    instance: instanceId,
    health_path: healthPath
      .optional()
      .describe(
        'Path of a page that the new release must answer with a status of 2xx before it is selected. Needs PHP. Default: nothing is asked.',
      ),
    detach,
  }),
  output: deploymentLine,
  errors: [
    'deployment.operation_busy',
    'deployment.health_unavailable',
    'instance.transfer_incomplete',
    'node.not_active',
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'Deploy the latest commit of the branch of an Instance',
  description:
    'A production Instance gets a new release, which is selected once its first steps have run. The development Instance `default` is deployed in its checkout. A client of the API that closes the connection cancels the deployment, unless `detach` is true; nothing is rolled back. The command line asks for `detach`, so Ctrl-C leaves the run going, unless it is called with `--no-detach`. A deployment by a tool of MCP runs to its end whatever happens to the connection. With `health_path`, the PHP of the Instance is asked for that page of the new release over its own socket, once and for at most 15 s, after the steps of `before_activation`; any answer but a status of 2xx fails the deployment with `deployment.health_failed`, and the previous release stays selected. Status and beginning of such an answer are output of the deployment. The newest three releases stay; an older one is deleted with everything in it, such as uploads below `storage`, SQLite files and logs, and each is named in the output. Keep what must stay in the home, and lead there by a link that a step of `before_activation` makes. A Process keeps running in the release in which it was started: restart it in a step of `after_activation` or with `fleet process:restart`, before that release is deleted. See `docs/guides/deploy-to-production.md`. The last line is the result.',
  taskAction: true,
  endsWithClient: { unless: 'detach' },
})
