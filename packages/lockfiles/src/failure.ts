/** Why a scan of one ecosystem fails (DEX-023 to DEX-025, DEP-048 to DEP-052). */
export type FailureCode =
  | 'dependencies.incomplete_source'
  | 'dependencies.source_unavailable'
  | 'dependencies.ambiguous_manager'
  | 'dependencies.unsupported_format'
  | 'dependencies.unsupported_layout'
  | 'dependencies.invalid_manifest'
  | 'dependencies.invalid_composer_input'
  | 'dependencies.invalid_npm_input'
  | 'dependencies.invalid_pnpm_input'
  | 'dependencies.invalid_bun_input'
  | 'dependencies.stale_npm_lockfile'
  | 'dependencies.stale_pnpm_lockfile'
  | 'dependencies.stale_bun_lockfile'

/** Every check that a file can fail. The texts hold nothing of the file, so a detail cannot either (DEP-022). */
export const CHECKS = {
  missing: 'is missing',
  every_lock_missing:
    'is missing, as are the locks of npm and Bun, and package.json names no package manager',
  too_large: 'is larger than its limit',
  not_utf8: 'is not UTF-8',
  not_json: 'is not valid JSON',
  not_yaml: 'is not valid YAML, or uses aliases, tags or duplicate keys',
  too_deep: 'is nested too deeply',
  duplicate_key: 'has a key twice in one object',
  wrong_type: 'has a member of the wrong type',
  text: 'has a text that is too long or not printable',
  name: 'has a name that no package can have',
  too_many_packages: 'has more packages than can be stored',
  too_many_requirements: 'has more requirements than can be stored',
  format_version: 'has a format version that is not supported',
  yarn: 'belongs to Yarn, which is not supported',
  binary: 'is a binary lock, which is not supported; save it as text',
  unknown_manager: 'names a package manager that is not supported',
  managers_declared: 'declares two different package managers',
  managers_found: 'competes with a file of another package manager, and package.json declares none',
  workspaces: 'describes a workspace, which is not supported',
  local_package: 'has a package from a local path, which is not supported',
  stale: 'does not match the dependencies of package.json',
  root: 'has no entry for the project itself',
  location: 'has a package inside of one that it does not have',
  identity: 'has a package without a name or version',
  duplicate_package: 'has a package twice',
  missing_package: 'lacks a package that another one requires',
  alias: 'has an alias that leads to another package or version',
  empty: 'is empty',
  documents: 'has other YAML documents than a lock',
  snapshot: 'has packages and snapshots that do not match',
  reference: 'has a reference that leads to no package',
  files: 'are larger together than their limit',
  reader: 'could not be read',
} as const

export type Check = keyof typeof CHECKS

/** The file that is being read, and the code of what is wrong inside it. */
export interface Origin {
  readonly file: string
  readonly invalid: FailureCode
  /** The whole file is known to hold only printable characters, so that its texts need not be asked one by one. */
  readonly isPrintable?: boolean
}

/** Ends the reading of one ecosystem. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly file: string
  readonly check: Check

  constructor(code: FailureCode, file: string, check: Check) {
    super(`${file} ${CHECKS[check]}`)
    this.code = code
    this.file = file
    this.check = check
  }
}

/** Throws the failure of a check, by default with the code for invalid data of this file. */
export function refuse(origin: Origin, check: Check, code: FailureCode = origin.invalid): never {
  throw new Failure(code, origin.file, check)
}
