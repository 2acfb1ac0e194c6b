import * as z from 'zod'
import { id, time } from '../params.ts'

/** Every Tool manager, fixed in code (TOOL-013). */
export const toolManagers = ['apt', 'composer', 'vp', 'brew', 'brew-cask'] as const
export type ToolManagerName = (typeof toolManagers)[number]

/** Stored statuses; `removed` is only ever answered (TOOL-002, TOOL-003). */
export const storedToolStatuses = ['installing', 'installed', 'updating', 'removing', 'failed'] as const
export type StoredToolStatus = (typeof storedToolStatuses)[number]
export const toolStatuses = [...storedToolStatuses, 'removed'] as const
export type ToolStatus = (typeof toolStatuses)[number]

export const toolOperationNames = ['install', 'update', 'remove'] as const
export type ToolOperationName = (typeof toolOperationNames)[number]

/** How an operation ended (TLX-040). */
export const toolOutcomes = [
  'applied',
  'unchanged',
  'blocked_by_constraint',
  'constraint_invalid',
  'candidate_version_unavailable',
  'candidate_version_unparseable',
  'manager_failed',
] as const
export type ToolOutcome = (typeof toolOutcomes)[number]

/** Why an installed package cannot become a Tool (TOOL-048). */
export const adoptionBlocks = [
  'protected',
  'dependency',
  'unsupported_artifact',
  'unsupported_source',
  'bottle_unavailable',
  'version_unreadable',
  'authorization_required',
] as const
export type AdoptionBlock = (typeof adoptionBlocks)[number]

/** A package that Fleet installed or adopted on a Node (TLX-009). */
export const tool = z.strictObject({
  id,
  node_id: id,
  manager: z.enum(toolManagers),
  package: z.string(),
  version_constraint: z.string().nullable(),
  status: z.enum(toolStatuses),
  /** As the manager prints it; often no semantic version. */
  installed_version: z.string().nullable(),
  failed_operation: z.enum(toolOperationNames).nullable(),
  error_code: z.string().nullable(),
  outcome: z.enum(toolOutcomes).nullable(),
})
export type ToolData = z.output<typeof tool>

export const toolManagerStatuses = ['uninstalled', 'provisioning', 'active', 'failed'] as const
export type ToolManagerStatus = (typeof toolManagerStatuses)[number]

/** A Tool manager of a Node; one without a record has no id (TLX-011, TLX-012). */
export const toolManager = z.strictObject({
  id: id.nullable(),
  node_id: id,
  name: z.enum(toolManagers),
  status: z.enum(toolManagerStatuses),
  installed_version: z.string().nullable(),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
})
export type ToolManagerData = z.output<typeof toolManager>

/** Managers that a scan reads, in their order (TOOL-045, TLX-036). */
export const scannedManagers = ['brew', 'brew-cask', 'vp'] as const
export type ScannedManager = (typeof scannedManagers)[number]

export const scanStates = ['complete', 'absent', 'unsupported', 'incomplete', 'conflicting'] as const
export type ScanState = (typeof scanStates)[number]

export const packageKinds = ['formula', 'cask', 'global'] as const

/** An installed package that a scan found (TLX-038). */
export const inventoryPackage = z.strictObject({
  manager: z.enum(scannedManagers),
  package: z.string(),
  package_kind: z.enum(packageKinds),
  /** A semantic version, or null. */
  installed_version: z.string().max(255).nullable(),
  /** Installed only because another package needs it. */
  dependency: z.boolean(),
  /** Recorded as a Tool. */
  registered: z.boolean(),
  tool_id: id.nullable(),
  adoption: z.enum(['supported', 'unsupported']),
  adoption_block: z.enum(adoptionBlocks).nullable(),
})
export type InventoryPackage = z.output<typeof inventoryPackage>

export const toolInventory = z.strictObject({
  node_id: id,
  observed_at: time,
  managers: z.array(
    z.strictObject({
      manager: z.enum(scannedManagers),
      scan_state: z.enum(scanStates),
      packages: z.array(inventoryPackage),
    }),
  ),
})
export type ToolInventory = z.output<typeof toolInventory>

/** What install and adopt take (TLX-007). */
export const toolRequest = {
  node_id: id.describe('Id of the Node.'),
  manager: z.enum(toolManagers).describe('Package manager.'),
  package: z.string().min(1).max(255).describe('Name of the package, as the manager calls it.'),
  version_constraint: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .optional()
    .describe('Semantic version range, such as `^1.2`, outside of which nothing is installed.'),
} as const
