import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { branchName } from '../projects/records.ts'
import { servingErrors } from '../routes/errors.ts'
import { MAX_DOMAIN_CHARACTERS } from '../routes/records.ts'
import { instance } from './records.ts'

export const instanceRename = operation({
  name: 'instance:rename',
  group: 'Instances',
  method: 'POST',
  path: '/instances/{instance}/rename',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    branch: branchName
      .optional()
      .describe('Branch that is checked out now; it is recorded as the branch of the Instance.'),
    domain: z
      .string()
      .min(1)
      .max(MAX_DOMAIN_CHARACTERS)
      .optional()
      .describe('Another domain for the Route of the Instance.'),
  }),
  output: instance,
  watchable: true,
  errors: [
    'instance.rename_unavailable',
    'instance.branch_not_checked_out',
    'instance.route_required',
    'instance.source_profile_missing',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'instance.checkout_path_unsafe',
    'instance.source_path_mismatch',
    'instance.source_ownership_mismatch',
    'instance.source_failed',
    'node.not_active',
    'route.domain_invalid',
    'route.domain_conflict',
    'route.domain_change_conflict',
    'route.reconciliation_required',
    'route.router_required',
    'route.node_inactive',
    'route.application_url_failed',
    'route.target_set_conflict',
    'route.busy',
    'env.operation_busy',
    ...servingErrors,
    'http.draining',
    'node.lock_lost',
    'node.capability_missing',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'Change the recorded branch or the domain of a development Instance',
  description:
    'The Route of the Instance is replaced: the new domain is served beside the old one, which is withdrawn after 31 s. A generated Route stays generated, so a later change of its Project or of a top-level domain generates its domain again. Then the branch is recorded; it must already be checked out, and the Git origin is not contacted. The name of the Instance and its checkout path stay; another name comes with another Node (`instance:transfer` with `name`), or with a copy (`instance:create` with `source_instance_id`).',
})
