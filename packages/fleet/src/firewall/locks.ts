import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'

/** One request at a time changes the operators' rules of a Node. Throws `firewall.operation_busy` after 30 s, or the rest of the request's time. */
export const holdingRules = <T>(
  store: Store,
  call: Call,
  nodeId: number,
  work: () => Promise<T>,
): Promise<T> => holding(store, call, lockOf('firewall', nodeId), work)
