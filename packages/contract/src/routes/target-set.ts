import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { servingErrors } from './errors.ts'
import { route } from './records.ts'

export const routeTargetSet = operation({
  name: 'route:target:set',
  group: 'Routes',
  method: 'PUT',
  path: '/routes/{route}/target',
  access: 'routeTarget',
  input: z.strictObject({
    route: id,
    instance_id: id.describe('An active Instance of the Project of the Route.'),
  }),
  output: route,
  watchable: true,
  errors: [
    'route.kind_unsupported',
    'route.domain_change_conflict',
    'route.target_inactive',
    'route.target_app_conflict',
    'route.target_conflict',
    'route.reconciliation_required',
    'route.target_web_root_unsupported',
    'route.node_inactive',
    'route.router_required',
    'route.tld_required',
    'route.domain_invalid',
    'route.domain_conflict',
    'route.application_url_failed',
    'route.busy',
    'env.operation_busy',
    ...servingErrors,
    'http.draining',
    'node.lock_lost',
    'node.capability_missing',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { route: 'route.not_found' },
  positional: ['instance_id'],
  summary: 'Lead a Route to another Instance of its Project',
  description:
    'For a Route that leads to no active Instance. The Instance is stored first, then served; if a step fails, it stays the target, and repeating the same request resumes. A generated domain follows its Instance: if it changes, another Route takes the place of this one, and the answer is that Route. The Route of an active Instance does not change in this way: create another Route.',
})
