import { PUSHER_LIMITS } from '#/limits.ts'

/**
 * The id of a user as everybody else sees it: text, as on Pusher's own service. Applications sign the number of a record
 * too, which means the same user as its digits. Undefined for what cannot be an id.
 */
export function userIdOf(value: unknown): string | undefined {
  const id = typeof value === 'number' ? String(value) : value
  return typeof id === 'string' && id !== '' && id.length <= PUSHER_LIMITS.userIdCharacters ? id : undefined
}
