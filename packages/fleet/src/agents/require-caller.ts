import { fail } from '@fleet/contract'
import type { Call, Caller } from '#/call.ts'

/** Access `agent` has found it before; only a call that came another way has none. */
export function requireCaller({ caller }: Call): Caller {
  if (!caller) throw fail('peer.identity_unknown')
  return caller
}
