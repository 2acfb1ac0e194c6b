import type { ErrorCode } from '../errors.ts'

/** What can keep the fleet from the login with which it reads the repository of a Project. */
export const loginErrors = [
  'github.cli_unauthenticated',
  'github.unavailable',
  'git.host_unreachable',
  'git.host_key_changed',
] as const satisfies readonly ErrorCode[]
