import { createHash } from 'node:crypto'
import { fail } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { findRegistration, type RegistrationRow } from '#/github/queries.ts'

/** How long a person may take. */
export const REGISTRATION_SECONDS = 3600

export const digestOf = (state: string): string => createHash('sha256').update(state).digest('hex')

/** The registration that a browser came back with. Throws `github.registration_invalid` for another or an expired one. */
export async function requireRegistration(
  { store, clock }: { readonly store: Pick<Store, 'db'>; readonly clock: Clock },
  state: string,
): Promise<RegistrationRow> {
  const pending = await findRegistration(store.db)
  if (pending?.state_digest !== digestOf(state) || clock.now() >= new Date(pending.expires_at))
    throw fail('github.registration_invalid')
  return pending
}
