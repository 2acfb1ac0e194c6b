import * as z from 'zod'
import { deploymentStep } from '../deployments/step-records.ts'
import { nodeIdentity } from '../nodes/records.ts'
import { dnsLabel, id } from '../params.ts'
import { projectSlug, projectTypes } from '../projects/records.ts'
import { route } from '../routes/records.ts'

export const instanceStatuses = [
  'reserved',
  'checkout_prepared',
  'source_resolved',
  'active',
  'removing',
] as const
export type InstanceStatus = (typeof instanceStatuses)[number]

/** In order (INS-113). */
export const removalSteps = [
  'source_preparation',
  'route_target_clear',
  'source_finalization',
  'runtime_cleanup',
  'row_deletion',
] as const
export type RemovalStep = (typeof removalSteps)[number]

/** Progress of a removal (INS-112); also in `error.details.removal` after a failure. */
export const removalProgress = z.strictObject({
  operation_id: z.uuid(),
  id,
  name: z.string(),
  force: z.boolean(),
  status: z.enum(['removing', 'failed', 'completed']),
  current_step: z.enum(removalSteps).nullable(),
  total: z.int(),
  completed: z.int(),
  remaining: z.int(),
  failed_step: z.enum(removalSteps).nullable(),
  error_code: z.string().nullable(),
})
export type RemovalProgress = z.output<typeof removalProgress>

/** Answer of a removal: its progress, and the checkouts and databases that stay on Nodes which did not answer. */
export const removal = removalProgress.extend({
  retained_on_nodes: z.array(
    z.strictObject({
      node_id: id,
      node: z.string(),
      path: z.string().nullable(),
      /** Of an owned database whose server does not answer. */
      database: z.string().nullable(),
    }),
  ),
})
export type RemovalData = z.output<typeof removal>

/** The same of a request, with the Instances that went with a forced removal (INS-119) and all databases that went, beyond the specification. */
export const removalWithOthers = removal.extend({
  removed_instances: z.array(z.strictObject({ id, name: z.string() })),
  removed_databases: z.array(
    z.strictObject({
      slug: z.string(),
      /** Its name on the server where it was dropped. */
      database: z.string().nullable(),
      /** Of a SQLite file that was deleted with the checkout. The record stays unless the Instance owned it. */
      path: z.string().nullable(),
    }),
  ),
})

/** In order (INS-093). */
export const transferSteps = [
  'runtime_stop',
  'source_copy',
  /** Only with a database (INS-090). */
  'sqlite-seed',
  'route_withdrawal',
  'cutover',
  'environment',
  'route_publication',
  'runtime_start',
  'source_cleanup',
] as const
export type TransferStep = (typeof transferSteps)[number]

export const transferStatuses = ['running', 'failed', 'rolled_back', 'completed'] as const

/** Progress of a transfer (INS-090); also in `error.details.transfer` after a failure. */
export const transferProgress = z.strictObject({
  operation_id: z.uuid(),
  id,
  source_node_id: id,
  destination_node_id: id,
  destination_name: z.string(),
  destination_path: z.string(),
  destination_domain: z.string(),
  sqlite_selected: z.boolean(),
  status: z.enum(transferStatuses),
  current_step: z.enum(transferSteps).nullable(),
  cutover_completed: z.boolean(),
  cleanup_completed: z.boolean(),
  failed_step: z.enum(transferSteps).nullable(),
  error_code: z.string().nullable(),
  /** Null once nothing is left to recover. */
  recovery_evidence: z
    .strictObject({
      rollback_pending: z.boolean(),
      incomplete: z.array(z.enum(transferSteps)),
      /** As requested: the request that resumes it names the same one. */
      sqlite_source_path: z.string().nullable(),
    })
    .nullable(),
})
export type TransferProgress = z.output<typeof transferProgress>

/** How an Instance came to be (INS-015). */
export const instanceCreations = ['repository', 'register', 'copy', 'clone'] as const

/** A database that a copy uses together with its source. */
export const sharedDatabase = z.strictObject({ slug: z.string(), prefix: z.string(), driver: z.string() })
export type SharedDatabase = z.output<typeof sharedDatabase>

export const instance = z.strictObject({
  id,
  project_id: id,
  node_id: id,
  project: z.strictObject({ id, name: z.string(), slug: projectSlug, type: z.enum(projectTypes) }),
  node: nodeIdentity,
  name: dnsLabel,
  environment: z.enum(['development', 'production']),
  source_layout: z.enum(['checkout', 'worktree']).nullable(),
  checkout_path: z.string(),
  production_user: z.string().nullable(),
  production_home: z.string().nullable(),
  root: z.string().nullable(),
  effective_root: z.string().nullable(),
  selected_branch: z.string().nullable(),
  branch_override: z.string().nullable(),
  starting_commit: z.string().nullable(),
  detached: z.boolean(),
  migration_required: z.boolean(),
  status: z.enum(instanceStatuses),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
  /** The Route without a web root of its own that serves it (RTE-028). */
  route: route.nullable(),
  domain: z.string().nullable(),
  url: z.string().nullable(),
  removal: removalProgress.nullable(),
  transfer: transferProgress.nullable(),
  /** Of a production Instance; each phase in the order of its run (INS-012). */
  deploy_steps: z.array(deploymentStep),
  vite_port: z.int().nullable(),
  seed_path: z.string().nullable(),
  seed_commit: z.string().nullable(),
  creation: z.enum(instanceCreations),
  /** Of a copy: whether its file system shares the blocks of both checkouts. Null for others, and before it is copied. */
  copy_mode: z.enum(['reflink', 'full']).nullable(),
  /** What a copy was made from, which may be gone by now. */
  source_instance: z.strictObject({ id, name: z.string() }).nullable(),
  /** Of a copy: the databases that it was given together with its source. */
  shared_databases: z.array(sharedDatabase),
})
export type InstanceData = z.output<typeof instance>
