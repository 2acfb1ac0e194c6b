import { strictObject } from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { servingErrors } from './errors.ts'
import { route } from './records.ts'

export const routeTargetUnset = operation({
  name: 'route:target:unset',
  group: 'Routes',
  method: 'DELETE',
  path: '/routes/{route}/target',
  access: 'routeNodes',
  input: strictObject({ route: id }),
  output: route,
  watchable: true,
  errors: [
    'route.kind_unsupported',
    'route.domain_change_conflict',
    'route.target_conflict',
    'route.reconciliation_required',
    'route.application_url_failed',
    'route.target_set_conflict',
    'route.busy',
    'env.operation_busy',
    ...servingErrors,
    ...productionPhpErrors,
    'app-prod.web_root_invalid',
    'http.draining',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { route: 'route.not_found' },
  summary: 'Let a Route lead to no Instance',
  description:
    'Only if its Instance is not active. What its Node still serves is withdrawn first; the Route keeps its domain and is `pending` until it gets another target. A Route without a target is not changed, except that a set of targets which could not be prepared for it is given up.',
})
