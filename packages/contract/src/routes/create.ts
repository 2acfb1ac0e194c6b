import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { route, routePublications } from './records.ts'

export const routeCreate = operation({
  name: 'route:create',
  group: 'Routes',
  method: 'POST',
  path: '/routes',
  access: 'bodyRoute',
  input: z.strictObject({
    domain: z.string().min(1).max(1024).describe('The domain, such as `mail.internal`.'),
    node_id: id.optional().describe('The Node that serves it.'),
    upstream: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('A service on the loopback of the Node: `http://127.0.0.1:8025`.'),
    process_id: id.optional().describe('A Process of the Node, instead of `upstream`.'),
    instance_id: id.optional().describe('An active Instance, which implies Project and place.'),
    publication: z.enum(routePublications).optional().describe('`private` unless it is said.'),
    web_root: z.string().min(1).max(255).nullable().optional().describe('A directory of the Instance.'),
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
    'route.node_inactive',
    'route.target_inactive',
    'route.target_web_root_unsupported',
    'route.busy',
    'app-dev.caddy_config_failed',
    'certificate.publication_failed',
    'certificate.owner_missing',
    'certificate.reload_failed',
    'ca.unavailable',
    'node.not_found',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  positional: ['domain'],
  summary: 'Create a Route: a domain with a certificate that leads to a service of a Node',
  description:
    'A custom proxy names `node_id` and exactly one of `upstream` and `process_id`; it is private. Its certificate is issued, then its site is served, and its name is answered last. The identical request returns the stored Route, or finishes one that was interrupted; one that failed is destroyed and created again. In this version no Process can be named and no Instance has a web root to serve.',
})
