import * as z from 'zod'
import { id, nullableId } from '../params.ts'

export const routeKinds = ['app', 'custom_proxy', 'analytics_tracking'] as const
export type RouteKind = (typeof routeKinds)[number]

export const routeProvenances = ['generated', 'explicit'] as const
export type RouteProvenance = (typeof routeProvenances)[number]

export const routePublications = ['private', 'public'] as const
export type RoutePublication = (typeof routePublications)[number]

export const routeStatuses = ['pending', 'active', 'activating', 'retiring', 'failed'] as const
export type RouteStatus = (typeof routeStatuses)[number]

/** Characters of a domain and of an upstream (RTX-008). */
export const MAX_DOMAIN_CHARACTERS = 253

/** Instances that one Router spreads requests over. */
export const MAX_TARGETS = 100

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * A domain in the one way in which it is stored: lower case, no trailing dot; undefined for what is none. At least two labels
 * of letters, digits and hyphens, the last one not a number (RTX-008).
 */
export function normalizeDomain(text: string): string | undefined {
  // Of the letters of a domain alone: the Kelvin sign is a `k` in lower case.
  const domain = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/\.$/, '')
  const labels = domain.split('.')
  const isDomain =
    domain.length <= MAX_DOMAIN_CHARACTERS &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  return isDomain ? domain : undefined
}

const LABELS = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.|$))+$/i

/** Labels that a domain may begin with. How long each and the whole may be is the rule of the domain. */
export const isFirstLabels = (text: string): boolean => LABELS.test(text) && !text.endsWith('.')

/** What a request may say of a web root; null is that of the Instance. */
export const webRoot = z.string().min(1).max(255).nullable().optional()

/** An Instance that a Route leads to; where it listens is never shown (RTE-027). */
export const routeTarget = z.strictObject({
  id,
  instance_id: id,
  /** From 1. */
  position: z.int().min(1),
})
export type RouteTargetData = z.output<typeof routeTarget>

/** A domain and what it leads to (RTE-001, RTX-017). */
export const route = z.strictObject({
  id,
  kind: z.enum(routeKinds),
  project_id: nullableId,
  /** Either this or `cluster_id` (RTE-009). */
  node_id: nullableId,
  cluster_id: nullableId,
  generation_basis_node_id: nullableId,
  domain: z.string(),
  web_root: z.string().nullable(),
  provenance: z.enum(routeProvenances),
  publication: z.enum(routePublications),
  status: z.enum(routeStatuses),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
  replaces_route_id: nullableId,
  replaced_by_route_id: nullableId,
  replacement_step: z.string().nullable(),
  target_set_step: z.string().nullable(),
  /** The first of `targets` (RTE-024). */
  target: routeTarget.nullable(),
  targets: z.array(routeTarget),
  process_id: nullableId,
  upstream: z.string().nullable(),
  analytics_instance_id: nullableId,
})
export type RouteData = z.output<typeof route>

/**
 * What a public Route that is open to nobody lacks: only Instances of production are public, behind the ingress and the Router of an
 * active Cluster (RTX-050). With `opening` everything exists, and what opened it stopped.
 */
export const publicationLacks = [
  'production_target',
  'active_cluster',
  'router',
  'ingress',
  'opening',
] as const
export type PublicationLack = (typeof publicationLacks)[number]

/** With the set of targets that a request began and nobody has finished yet, as `route:target:set` takes it (RTE-114). */
export const shownRoute = route.extend({
  target_set: z
    .strictObject({
      targets: z.array(id),
      dispositions: z.array(
        z.strictObject({ instance_id: id, route_id: id.optional(), remove: z.literal(true).optional() }),
      ),
    })
    .optional()
    .describe('A change of the Instances of the Route that has not ended, in the words of its request.'),
  publication_lacks: z
    .enum(publicationLacks)
    .optional()
    .describe('Of an active Route that is public by its record and open to nobody: what is missing first.'),
})
export type ShownRouteData = z.output<typeof shownRoute>

/** What stays on a Node that a removal skipped (RTE-070). */
export const retainedRoute = z.strictObject({
  node_id: id,
  node: z.string(),
  steps: z.array(z.string()),
})
export type RetainedRouteData = z.output<typeof retainedRoute>
