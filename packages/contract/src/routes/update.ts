import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { servingErrors } from './errors.ts'
import { MAX_DOMAIN_CHARACTERS, route, routePublications, webRoot } from './records.ts'

export const routeUpdate = operation({
  name: 'route:update',
  group: 'Routes',
  method: 'PATCH',
  path: '/routes/{route}',
  access: 'routeNodes',
  input: z.strictObject({
    route: id,
    domain: z
      .string()
      .min(1)
      .max(MAX_DOMAIN_CHARACTERS)
      .optional()
      .describe('Another domain for an explicit Route; the answer is the Route that replaces this one.'),
    publication: z.enum(routePublications).optional().describe('Alone, it keeps the id of the Route.'),
    web_root: webRoot.describe(
      'Alone: another directory of the repository, for example `apps/admin/public`; null for the web root of the Instance.',
    ),
  }),
  output: route,
  watchable: true,
  errors: [
    'route.domain_invalid',
    'route.domain_conflict',
    'route.domain_change_conflict',
    'route.kind_unsupported',
    'route.reconciliation_required',
    'route.web_root_domain_immutable',
    'route.web_root_update_separate',
    'route.web_root_conflict',
    'route.web_root_unsupported',
    'route.web_root_release_missing',
    'route.web_root_unsafe',
    'app-prod.web_root_invalid',
    ...productionPhpErrors,
    'route.target_inactive',
    'route.target_conflict',
    'route.target_web_root_unsupported',
    'route.router_required',
    'route.node_inactive',
    'route.application_url_failed',
    'route.target_set_conflict',
    'route.busy',
    'route.node_unreachable',
    'instance.source_profile_missing',
    'instance.transfer_incomplete',
    'env.operation_busy',
    ...servingErrors,
    'http.draining',
    'node.lock_lost',
    'node.capability_missing',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { route: 'route.not_found' },
  summary: 'Change the domain, the publication or the web root of a Route to an Instance',
  description:
    'For another domain the Route is replaced: the new domain is served beside the old one, then takes its place, and the old one is withdrawn after 31 s, when no resolver answers it any more. A failure before that leaves the old Route as it was; afterwards, repeating the same request finishes the change. In a Laravel application `APP_URL` follows; in production the `.env` of each Instance is written again from its stored values, if there are any, and loses names that only the file has. A generated domain is not changed here, and a Route with a web root keeps its domain. A `public` Route of production Instances in an active Cluster is opened on the ingress of that: its ports open, and the ingress obtains a public certificate by itself, which is not waited for. Without an active ingress `public` is stored, and the Route is opened when the Cluster has one. `private` closes it again. Another `web_root` is sent alone: its directory is opened and its PHP pool runs before the site changes in one reload, and only then the earlier one goes. A failure before that leaves the Route as it was; afterwards, repeating the same request finishes the change. It waits for a running deployment or rollback of the Instance, at most 30 s.',
})
