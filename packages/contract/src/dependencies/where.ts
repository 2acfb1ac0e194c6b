import * as z from 'zod'
import { nodeIdentity } from '../nodes/records.ts'
import { operation } from '../operation.ts'
import { filledText, id, time } from '../params.ts'
import { ecosystems } from './records.ts'

/** One version of a package in one Instance. */
export const dependencyHolder = z.strictObject({
  instance_id: id,
  instance: z.string(),
  project: z.string(),
  environment: z.enum(['development', 'production']),
  node: nodeIdentity,
  ecosystem: z.enum(ecosystems),
  version: z.string(),
  regular: z.boolean(),
  development: z.boolean(),
  /** How often the lock file has this version, at several places. */
  copies: z.int().min(1),
  /** A later scan of the Instance failed, so this may no longer hold. */
  stale: z.boolean(),
  observed_at: time,
  /**
   * A shortest path from the project to the package, which is its last member. Empty where nothing requires it any more.
   */
  path: z.array(z.strictObject({ name: z.string(), version: z.string() })),
})
export type DependencyHolder = z.output<typeof dependencyHolder>

export const dependencyHolders = z.strictObject({
  package: z.string(),
  range: z.string().nullable(),
  /** Every version that is found and in the range, the most frequent first. */
  versions: z.array(
    z.strictObject({ ecosystem: z.enum(ecosystems), version: z.string(), instances: z.int().min(1) }),
  ),
  /** By id of the Instance. */
  holders: z.array(dependencyHolder),
  /**
   * What the stored inventories cannot say, for each of the ecosystems that were asked for: how many Instances have no
   * inventory of it (`unknown`) or one that a later scan could not renew (`stale`). Empty where all are current. Beyond the
   * specification.
   */
  not_current: z.array(
    z.strictObject({ ecosystem: z.enum(ecosystems), unknown: z.int().min(0), stale: z.int().min(0) }),
  ),
  /** `after` of the next page; null on the last one. */
  next: id.nullable(),
})
export type DependencyHolders = z.output<typeof dependencyHolders>

export const dependencyWhere = operation({
  name: 'dependency:where',
  group: 'Dependencies',
  method: 'GET',
  path: '/dependencies',
  access: 'peer',
  input: z.strictObject({
    package: filledText(255).describe('Name of the package, such as `lodash` or `acme/mail`.'),
    range: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'Only versions in this range, such as `<4.17.21`. Versions that are not semantic are in none.',
      ),
    ecosystem: z.enum(ecosystems).optional().describe('Only this ecosystem. Default: both.'),
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of Instances.'),
    after: id.optional().describe('Only Instances after the one with this id.'),
  }),
  output: dependencyHolders,
  errors: ['dependencies.range_invalid'],
  summary: 'Find the Instances that depend on a package, and how',
  description:
    'Reads the stored inventories; Instances of which no scan has succeeded are missing, and `not_current` counts them. Only Instances on Nodes that the caller can access are counted and listed.',
  positional: ['package', 'range'],
})
