import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { servingErrors } from './errors.ts'
import { retainedRoute, route } from './records.ts'

export const routeDestroy = operation({
  name: 'route:destroy',
  group: 'Routes',
  method: 'DELETE',
  path: '/routes/{route}',
  access: 'routeNodes',
  input: z.strictObject({
    route: id,
    offline: flag
      .default(false)
      .describe('Skip a Node that is not active or does not answer. The rest is removed when it is back.'),
  }),
  output: route.extend({ retained_on_nodes: z.array(retainedRoute) }),
  watchable: true,
  errors: [
    'route.kind_unsupported',
    'instance.transfer_incomplete',
    'route.target_conflict',
    'env.owner_changed',
    'route.node_unreachable',
    'route.target_set_conflict',
    'route.reconciliation_required',
    'route.router_required',
    'route.busy',
    'env.operation_busy',
    ...servingErrors,
    ...productionPhpErrors,
    'app-prod.web_root_invalid',
    'route.application_url_failed',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { route: 'route.not_found' },
  summary: 'Remove a Route',
  description:
    'The own Route of an active Instance is removed with the Instance; one with a web root may be removed alone. First removes the domain from the private DNS, then the site, then the certificate. If a step fails, the Route is `failed` with that step; repeating the same request starts again. With `offline`, a Node that is not active or does not answer is not contacted: `retained_on_nodes` names what stays there until `node:converge` removes it.',
})
