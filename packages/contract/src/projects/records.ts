import * as z from 'zod'
import { exclusion } from '../nodes/records.ts'
import { id, stepName, time } from '../params.ts'
import { projectUpdateStates } from './update-states.ts'

export const projectTypes = [
  'laravel-app',
  'symfony-app',
  'monorepo',
  'laravel-package',
  'node-package',
] as const
export type ProjectType = (typeof projectTypes)[number]

/** What a type asks of its Instances (PRJ-015 to PRJ-017). */
export const projectTypeRules = {
  'laravel-app': { needsRoute: true, allowsRepositoryRoot: false, runsPhp: true },
  'symfony-app': { needsRoute: true, allowsRepositoryRoot: false, runsPhp: true },
  monorepo: { needsRoute: false, allowsRepositoryRoot: false, runsPhp: true },
  'laravel-package': { needsRoute: false, allowsRepositoryRoot: true, runsPhp: false },
  'node-package': { needsRoute: false, allowsRepositoryRoot: true, runsPhp: false },
} as const satisfies Record<
  ProjectType,
  { needsRoute: boolean; allowsRepositoryRoot: boolean; runsPhp: boolean }
>

export const sourceAccesses = ['github_app', 'gh_cli'] as const
export type SourceAccess = (typeof sourceAccesses)[number]
export const taskComputes = ['shared', 'vm'] as const

export const projectSlug = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be 1 to 63 letters, digits, underscores or hyphens')
export const branchName = z.string().min(1).max(255)

export const project = z.strictObject({
  id,
  slug: projectSlug,
  name: z.string().max(255),
  code: z.string().regex(/^[A-Z]{3}$/),
  type: z.enum(projectTypes),
  repository_url: z.string().max(2048),
  source_access: z.enum(sourceAccesses),
  default_branch: z.string().nullable(),
  root: z.string().nullable(),
  defaults: z.record(z.string(), z.unknown()).nullable(),
  task_check: z.string().nullable(),
  task_workspace_routed: z.boolean(),
  task_compute: z.enum(taskComputes),
  review_and_merge: z.boolean(),
  merge_check: z.string().nullable(),
})
export type ProjectData = z.output<typeof project>

/** What show adds to the record (PRJ-014). */
export const projectDetail = project.extend({
  excluded_nodes: z.array(exclusion),
  /** The update that only the identical request may continue; null without one (PRJ-045). */
  open_update: z
    .strictObject({
      state: z.enum(projectUpdateStates),
      request: z.record(z.string(), z.unknown()),
      failed_step: z.string().nullable(),
      error_code: z.string().nullable(),
      started_at: time,
    })
    .nullable(),
})
export type ProjectDetailData = z.output<typeof projectDetail>

/** Setup and teardown lists (PRJ-058 to PRJ-062). */
export const STEP_LIMITS = {
  commandMaxBytes: 16 * 1024,
  timeoutMaxSeconds: 540,
  timeoutDefaultSeconds: 240,
  listMax: 32,
  listTotalSeconds: 540,
} as const

export const lifecycleStep = z.strictObject({
  name: stepName,
  command: z.string(),
  timeout_seconds: z.int().min(1).max(STEP_LIMITS.timeoutMaxSeconds),
  /** From 1, in the order of the run. */
  position: z.int().min(1),
})
export type LifecycleStepData = z.output<typeof lifecycleStep>
