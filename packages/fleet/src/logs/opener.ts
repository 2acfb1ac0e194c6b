import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'

/** Node of the caller. Grants were asked for before, so only a call that came another way has none. */
export function openerOf({ caller }: Call): number {
  if (!caller) throw fail('peer.identity_unknown')
  return caller.id
}
