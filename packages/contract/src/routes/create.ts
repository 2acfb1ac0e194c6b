import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { id } from '../params.ts'
import { servingErrors } from './errors.ts'
import { MAX_DOMAIN_CHARACTERS, route, routePublications, webRoot } from './records.ts'

export const routeCreate = operation({
  name: 'route:create',
  group: 'Routes',
  method: 'POST',
  path: '/routes',
  access: 'bodyRoute',
  input: z.strictObject({
    domain: z
      .string()
      .min(1)
      .max(MAX_DOMAIN_CHARACTERS)
      .describe('Domain of the Route, for example `mail.internal`.'),
    node_id: id.optional().describe('The Node that serves the Route.'),
    upstream: z
      .string()
      .min(1)
      .max(MAX_DOMAIN_CHARACTERS)
      .optional()
      .describe('A service on a loopback address of the Node, for example `http://127.0.0.1:8025`.'),
    process_id: id.optional().describe('A Process of the Node, instead of `upstream`.'),
    instance_id: id.optional().describe('An active Instance, which determines Project and Node.'),
    publication: z.enum(routePublications).optional().describe('Default: `private`.'),
    web_root: webRoot.describe(
      'A directory of the repository, for example `apps/admin/public`. Default: the web root of the Instance.',
    ),
  }),
  output: route,
  creates: true,
  watchable: true,
  errors: [
    'route.domain_invalid',
    'route.domain_conflict',
    'route.retry_conflict',
    'route.scope_required',
    'route.upstream_invalid',
    'route.process_conflict',
    'route.upstream_unresolved',
    'process.not_found',
    'process.operation_busy',
    'route.node_inactive',
    'route.target_inactive',
    'instance.transfer_incomplete',
    'route.target_web_root_unsupported',
    'route.web_root_release_missing',
    'route.web_root_unsafe',
    ...productionPhpErrors,
    'app-prod.web_root_invalid',
    'route.target_conflict',
    'route.router_required',
    'node.capability_missing',
    'route.busy',
    'env.operation_busy',
    ...servingErrors,
    'route.application_url_failed',
    'node.not_found',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  positional: ['domain'],
  summary: 'Create a Route: a domain with a certificate that leads to an Instance or to a service of a Node',
  description:
    'A Route to an Instance needs `instance_id` alone: its own one, or with `web_root` one of another directory of its checkout. A custom proxy needs `node_id` and exactly one of `upstream` and `process_id`; it is private. First the certificate is issued, then the site is served, and last the domain is published in the private DNS. Repeating the same request returns the stored Route, or resumes one that was interrupted. A failed Route to an Instance stays `activating`; a further one of production and a custom proxy are `failed`, and have to be destroyed and created again. A Process must listen on exactly one TCP port of the loopback address: a container by its published port, a unit by what it listens on when the Route is created. A `public` Route is served in the private network, and on the ingress of its active Cluster once that has one: see `route:update`.',
})
