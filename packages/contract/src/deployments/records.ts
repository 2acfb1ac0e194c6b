import * as z from 'zod'
import { id, time } from '../params.ts'

/** In the order of a deployment (DEPL-011), and the one of a rollback (DEPL-017). */
export const deploymentPhases = [
  'source_preparation',
  'environment_sync',
  'before_activation',
  'activation',
  'php_refresh',
  'after_activation',
  'cleanup',
  'rollback',
] as const
export type DeploymentPhase = (typeof deploymentPhases)[number]

/** What of a deployment failed (DEPL-022). */
export const deploymentFailures = [
  'preparation',
  'environment',
  'before_activation',
  'activation',
  'cache_refresh',
  'after_activation',
  'rollback_selection',
  'operation',
] as const
export type DeploymentFailure = (typeof deploymentFailures)[number]

/** Bytes of one piece of output, and of all output that a row keeps (DEPL-020, DEPL-032). */
export const OUTPUT_PIECE_MAX_BYTES = 16 * 1024
export const OUTPUT_KEPT_MAX_BYTES = 128 * 1024
/** Of short lines the record of each is far longer than the line. */
export const OUTPUT_KEPT_MAX_PIECES = 4096
/** Rows of an Instance that are kept (EV-082). */
export const DEPLOYMENTS_KEPT = 50

/** Name of a release: a folder below `releases` of the production home. */
export const releaseName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be the name of a release, as instance:releases lists it',
  )

/** Of a request that runs a deployment or rollback, beyond the specification (decision 0212). */
export const detach = z
  .boolean()
  .optional()
  .describe(
    'Continue when the connection closes. Default: closing it cancels; from the command line the run continues, unless this is false.',
  )

/** Beyond the specification (decision 0211). */
export const healthPath = z
  .string()
  .max(512)
  .regex(/^\/(?!\/)[!-~]*$/, 'must be a path that begins with one slash, in printable ASCII')
  .refine(
    (path) => !/[#\\]|(?:^|\/)\.\.?(?:[/?]|$)/.test(path),
    'must have no fragment, backslash or dot segment',
  )

const common = {
  /** Counts the lines of one stream from 1. A gap: output was left out, for a client that reads slowly or of an old record. */
  sequence: z.int().min(1),
  request_id: z.string(),
  /** Null for a refusal before anything was recorded. */
  deployment_id: id.nullable(),
  at: time,
}

export const deploymentLine = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('phase'),
    ...common,
    phase: z.enum(deploymentPhases),
    /** The deploy step that begins; null for the phase itself. */
    step_name: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal('output'),
    ...common,
    stream: z.enum(['stdout', 'stderr']),
    /** At most 16 KiB decoded. */
    data_base64: z.string(),
  }),
  z.strictObject({
    type: z.literal('result'),
    ...common,
    status: z.enum(['succeeded', 'failed']),
    failed_step: z.enum(deploymentFailures).nullable(),
    error_code: z.string().nullable(),
    selected_release: releaseName.nullable(),
  }),
])
export type DeploymentLine = z.output<typeof deploymentLine>

/** One row of the deployments of an Instance (DEPL-030); never its output (EV-058). */
export const instanceDeployment = z.strictObject({
  id,
  instance_id: id,
  release: releaseName.nullable(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  started_at: time,
  finished_at: time.nullable(),
  duration_seconds: z.number().nullable(),
  status: z.enum(['running', 'succeeded', 'failed']),
  failed_step: z.enum(deploymentFailures).nullable(),
  error_code: z.string().nullable(),
  selected_release: releaseName.nullable(),
  /** Name of the Node that asked, or `schedule`. */
  triggered_by: z.string(),
})
export type InstanceDeploymentData = z.output<typeof instanceDeployment>

export const deploymentDetail = instanceDeployment.extend({
  /** The lines of its stream; of the output the newest 128 KiB, in at most 4,096 pieces. */
  events: z.array(deploymentLine),
})
export type DeploymentDetailData = z.output<typeof deploymentDetail>

export const instanceReleases = z.strictObject({
  /** Oldest first. */
  releases: z.array(releaseName),
  selected_release: releaseName.nullable(),
})
