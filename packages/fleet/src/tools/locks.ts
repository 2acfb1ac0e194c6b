import type { ErrorCode } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'

/** Nobody waits for a manager: its holder may be installing for minutes (facts 1.6). Throws the given code. */
export const holdingApt = <T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  nodeId: number,
  busy: ErrorCode,
  work: () => Promise<T>,
): Promise<T> => holding(store, call, lockOf('apt', nodeId, { busy }), work)
