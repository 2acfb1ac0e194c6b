import * as z from 'zod'
import { id, time } from '../params.ts'
import { scanErrorCodes } from './errors.ts'

export const ecosystems = ['composer', 'npm'] as const
export type EcosystemName = (typeof ecosystems)[number]

/** Bounds of a stored inventory, per ecosystem (DEX-031). Texts in bytes of UTF-8. */
export const INVENTORY_LIMITS = {
  resolutions: 50_000,
  requirements: 200_000,
  fileHashes: 64,
  textBytes: 16 * 1024,
} as const

const text = z.string().max(INVENTORY_LIMITS.textBytes)

/** One package in one version, as the lock file resolves it. */
export const dependencyResolution = z.strictObject({
  /** Unique in its graph. */
  id: text,
  ecosystem: z.enum(ecosystems),
  name: text,
  /** As locked; not always a semantic version. */
  version: text,
  /** The root reaches it through its regular requirements. */
  regular: z.boolean(),
  /** The root reaches it through its development requirements. */
  development: z.boolean(),
  /** The revision of a source repository. */
  reference: text.nullable(),
  integrity: text.nullable(),
})
export type DependencyResolution = z.output<typeof dependencyResolution>

export const dependencyRequirement = z.strictObject({
  /** Id of the resolution that requires; null for the root. */
  source: text.nullable(),
  /** Id of the resolution that satisfies it; null where nothing in the lock file does. */
  target: text.nullable(),
  name: text,
  constraint: text,
  kind: z.enum(['dependency', 'peer']),
  scope: z.enum(['regular', 'development']),
  optional: z.boolean(),
})
export type DependencyRequirement = z.output<typeof dependencyRequirement>

export const dependencySnapshot = z.strictObject({
  observed_at: time,
  source: z.strictObject({
    /** Absolute path of the directory that was read (DEP-008). */
    project_root: z.string(),
    /** Branch of a checkout, or name of a release. */
    reference: z.string().nullable(),
    /** SHA-256 in hex of each file that the graph was read from, by name. */
    file_hashes: z
      .record(z.string(), z.string())
      .refine((hashes) => Object.keys(hashes).length <= INVENTORY_LIMITS.fileHashes),
    /** Manager and version of the lock format, such as `pnpm-9.0`; null when the ecosystem is absent. */
    format: z.string().nullable(),
  }),
  /** Null: neither manifest nor lock file exists. Without resolutions: a project without packages. */
  graph: z
    .strictObject({
      resolutions: z.array(dependencyResolution).max(INVENTORY_LIMITS.resolutions),
      requirements: z.array(dependencyRequirement).max(INVENTORY_LIMITS.requirements),
    })
    .nullable(),
})
export type DependencySnapshot = z.output<typeof dependencySnapshot>

/** `unknown`: never read. `current`: the last attempt succeeded. `stale`: a later one failed. */
export const ecosystemStates = ['unknown', 'current', 'stale'] as const

export const ecosystemInventory = z.strictObject({
  ecosystem: z.enum(ecosystems),
  state: z.enum(ecosystemStates),
  /** Whether the latest attempt succeeded; null before the first. */
  succeeded: z.boolean().nullable(),
  attempted_at: time.nullable(),
  error_code: z.enum(scanErrorCodes).nullable(),
  /** Names a file and the check that it failed; never content. */
  error_detail: z.string().nullable(),
  /** The last successful observation. */
  snapshot: dependencySnapshot.nullable(),
})
export type EcosystemInventory = z.output<typeof ecosystemInventory>

export const dependencyInventory = z.strictObject({
  instance_id: id,
  /** Null until both ecosystems have been attempted. */
  succeeded: z.boolean().nullable(),
  composer: ecosystemInventory,
  javascript: ecosystemInventory,
})
export type DependencyInventory = z.output<typeof dependencyInventory>
