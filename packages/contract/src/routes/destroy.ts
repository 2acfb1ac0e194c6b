import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
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
      .describe('Skip a Node that is not active or does not answer; the rest is removed when it comes back.'),
  }),
  output: route.extend({ retained_on_nodes: z.array(retainedRoute) }),
  watchable: true,
  errors: [
    'route.node_unreachable',
    'route.busy',
    'app-dev.caddy_config_failed',
    'certificate.publication_failed',
    'certificate.owner_missing',
    'certificate.reload_failed',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { route: 'route.not_found' },
  summary: 'Remove a Route',
  description:
    'The name is answered no more, then the site is withdrawn, then the certificate goes. A removal that failed leaves the Route `failed` with its step; the identical request begins again. With `offline` nothing is sent to a Node that is not active or does not answer: `retained_on_nodes` names what stays there until `node:converge` removes it.',
})
