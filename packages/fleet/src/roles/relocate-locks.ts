import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holdingRoles } from '#/nodes/api.ts'

/** Both role locks of a move, always the lower Node id first: two moves can't wait for each other. */
export const holdingBoth = <T>(
  store: Store,
  call: Call,
  [target, source]: readonly [number, number],
  work: () => Promise<T>,
): Promise<T> =>
  holdingRoles(store, call, Math.min(target, source), () =>
    holdingRoles(store, call, Math.max(target, source), work),
  )
