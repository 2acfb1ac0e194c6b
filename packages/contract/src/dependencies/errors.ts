import type { ErrorSpec } from '@fleet/kernel'
import { commandErrors } from '../nodes/errors.ts'

/** Refusals of whole requests. */
const refusals = {
  'dependencies.instance_unavailable': {
    status: 409,
    message: 'The Instance is not active or is being removed.',
    retry: 'none',
  },
  'dependencies.target_not_found': {
    status: 404,
    message: 'No Instance that the caller can access has this domain or contains this directory.',
    retry: 'change',
  },
  'dependencies.target_ambiguous': {
    status: 409,
    message: 'Several Instances have this domain or contain this directory. Name one by its id.',
    retry: 'change',
  },
  'dependencies.operation_busy': {
    status: 409,
    message: 'Another operation is changing this Instance or the checkouts of its Node.',
    retry: 'wait',
  },
  'dependencies.range_invalid': {
    status: 422,
    message: 'The range is not a semantic version range, such as `^1.2` or `<4.17.21`.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>

/** Why the scan of one ecosystem failed: carried in a response with status 200 (DEX-015). */
export const scanErrors = {
  'dependencies.incomplete_source': {
    status: 409,
    message: 'The project has a manifest without its lock file, or a lock file without its manifest.',
    retry: 'change',
  },
  'dependencies.source_unavailable': {
    status: 409,
    message: 'The application directory or one of its files cannot be read safely.',
    retry: 'change',
  },
  'dependencies.source_changed': {
    status: 409,
    message: 'The files changed while they were read. Run the same command again.',
    retry: 'repeat',
  },
  'dependencies.ambiguous_manager': {
    status: 409,
    message:
      'The project declares or uses two package managers. Name one in `packageManager` of package.json and remove the files of the other.',
    retry: 'change',
  },
  'dependencies.unsupported_format': {
    status: 409,
    message: 'The format of a lock file is not supported.',
    retry: 'change',
  },
  'dependencies.unsupported_layout': {
    status: 409,
    message: 'Workspaces and local packages are not supported.',
    retry: 'change',
  },
  'dependencies.invalid_manifest': { status: 409, message: 'A manifest is not valid.', retry: 'change' },
  'dependencies.invalid_composer_input': {
    status: 409,
    message: 'The lock file of Composer is not valid.',
    retry: 'change',
  },
  'dependencies.invalid_npm_input': {
    status: 409,
    message: 'The lock file of npm is not valid.',
    retry: 'change',
  },
  'dependencies.invalid_pnpm_input': {
    status: 409,
    message: 'The lock file of pnpm is not valid.',
    retry: 'change',
  },
  'dependencies.invalid_bun_input': {
    status: 409,
    message: 'The lock file of Bun is not valid.',
    retry: 'change',
  },
  'dependencies.stale_npm_lockfile': {
    status: 409,
    message: 'The lock file of npm does not match package.json. Run `npm install` in the project.',
    retry: 'change',
  },
  'dependencies.stale_pnpm_lockfile': {
    status: 409,
    message: 'The lock file of pnpm does not match package.json. Run `pnpm install` in the project.',
    retry: 'change',
  },
  'dependencies.stale_bun_lockfile': {
    status: 409,
    message: 'The lock file of Bun does not match package.json. Run `bun install` in the project.',
    retry: 'change',
  },
  'dependencies.persistence_failed': {
    status: 500,
    message: 'The inventory was read but could not be stored.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

/** Why an update was refused or failed: carried in a response with status 200 (DEX-015). */
export const updateErrors = {
  'dependencies.production_update_forbidden': {
    status: 409,
    message: 'The dependencies of a production Instance change only with a deployment.',
    retry: 'none',
  },
  'dependencies.unsafe_source': {
    status: 409,
    message: 'The application directory or one of its files cannot be changed safely.',
    retry: 'change',
  },
  'dependencies.unsupported_delegation': {
    status: 409,
    message: 'The Node has no Vite+ 0.3.0, the only version that Fleet runs updates with.',
    retry: 'change',
  },
  'dependencies.update_failed': {
    status: 502,
    message: 'The package manager failed. It may have changed files.',
    retry: 'change',
  },
  'dependencies.update_cancelled': {
    status: 502,
    message: 'The update was cancelled after it had started. It may have changed files.',
    retry: 'repeat',
  },
  'dependencies.update_timeout': {
    status: 504,
    message: 'The package manager took longer than it may and was ended. It may have changed files.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

export type UpdateErrorCode = keyof typeof updateErrors | ScanErrorCode
const both = { ...updateErrors, ...scanErrors }
export const updateErrorCodes = Object.keys(both) as [UpdateErrorCode, ...UpdateErrorCode[]] // The keys of tables that are not empty.

export type ScanErrorCode = keyof typeof scanErrors
export const scanErrorCodes = Object.keys(scanErrors) as [ScanErrorCode, ...ScanErrorCode[]] // The keys of a table that is not empty.

export const dependencyErrors = { ...refusals, ...scanErrors, ...updateErrors } as const

/** What keeps a request from the files of an Instance. */
export const inspectionErrors = [
  'dependencies.instance_unavailable',
  'dependencies.operation_busy',
  'node.not_active',
  'node.command_failed',
  'node.capability_missing',
  ...commandErrors,
] as const
