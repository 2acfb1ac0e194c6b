import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { changedRouteErrors } from './errors.ts'
import { MAX_TARGETS, route } from './records.ts'

export const routeTargetSet = operation({
  name: 'route:target:set',
  group: 'Routes',
  method: 'PUT',
  path: '/routes/{route}/target',
  access: 'routeTarget',
  input: z.strictObject({
    route: id,
    instance_id: id.optional().describe('An active Instance of the Project of the Route, for one target.'),
    targets: z
      .array(id)
      .min(1)
      .max(MAX_TARGETS)
      .optional()
      .describe(
        'Instead of `instance_id`: all production Instances that are to serve the Route, in their order, such as `[7, 9]`.',
      ),
    dispositions: z
      .array(
        z.strictObject({
          instance_id: id,
          route_id: id.optional().describe('The explicit Route that it serves from now on.'),
          remove: z.literal(true).optional().describe('The Instance is removed.'),
        }),
      )
      .max(MAX_TARGETS)
      .optional()
      .describe(
        'With `targets`: what becomes of each Instance that leaves the pool, such as `[{"instance_id": 7, "remove": true}]` or `[{"instance_id": 7, "route_id": 3}]`.',
      ),
  }),
  output: route,
  watchable: true,
  errors: [
    'route.kind_unsupported',
    'route.domain_change_conflict',
    'route.target_inactive',
    'instance.transfer_incomplete',
    'route.target_app_conflict',
    'route.target_conflict',
    'route.reconciliation_required',
    'route.target_web_root_unsupported',
    'route.node_inactive',
    'route.router_required',
    'route.tld_required',
    'route.domain_invalid',
    'route.domain_conflict',
    'route.pool_unsupported',
    'route.target_scope_conflict',
    'route.target_disposition_required',
    'route.target_disposition_invalid',
    'route.target_set_conflict',
    'route.web_root_unsupported',
    'instance.lifecycle_busy',
    'instance.clone_in_progress',
    'database.connection_attached',
    'instance.removal_conflict',
    'instance.removal_failed',
    'node.not_active',
    'route.node_unreachable',
    ...changedRouteErrors,
    ...productionPhpErrors,
    'app-prod.web_root_invalid',
    'ingress.caddy_config_failed',
    'node.capability_missing',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { route: 'route.not_found' },
  positional: ['instance_id'],
  summary: 'Set the Instances that a Route leads to',
  description:
    'With `instance_id`, for a Route that leads to no active Instance. The Instance is stored first, then served; if a step fails, it stays the target, and repeating the same request resumes. A generated domain follows its Instance: if it changes, another Route takes the place of this one, and the answer is that Route. The Route of an active Instance does not change in this way: create another Route. With `targets`, for an explicit Route of a Cluster: its Router spreads requests over these production Instances, each on a Node of its own with the role `app-prod`. Every added Instance is prepared before one request is led to it, also one that another Route of the Cluster loses by that: such a Route keeps its domain and answers 503 until it has an Instance again. `dispositions` name what becomes of each Instance that leaves: it serves another explicit Route, or is removed at the end. The `.env` of each Instance that stays or comes is written from its stored values. A failure before the set is stored rolls everything back; afterwards `target_set_step` and `failed_step` say how far it is. Until it has ended, only the same request is taken; before the set is stored, one that names the present targets gives the change up.',
})
