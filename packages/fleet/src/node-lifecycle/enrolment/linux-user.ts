import { fail } from '@fleet/contract'

/** Who owns machines where nobody said otherwise. */
export const DEFAULT_MANAGED_USER = 'fleet'

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/

/** Throws `node.invalid_linux_user` for what `useradd` would refuse (NODE-069). */
export function requireLinuxUser(name: string): string {
  if (!NAME.test(name)) throw fail('node.invalid_linux_user')
  return name
}

/** The same for the managed user, who becomes root by `sudo` and is never root itself. */
export function requireManagedUser(name: string): string {
  if (name === 'root') throw fail('node.invalid_linux_user')
  return requireLinuxUser(name)
}
