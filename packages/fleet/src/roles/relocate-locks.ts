import type { HeldLock, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holdingRoles } from '#/nodes/api.ts'

/** Both role locks of a move, always the lower Node id first: two moves can't wait for each other. */
export const holdingBoth = <T>(
  store: Store,
  call: Call,
  [target, source]: readonly [number, number],
  work: (locks: { readonly target: HeldLock; readonly source: HeldLock }) => Promise<T>,
): Promise<T> => {
  const [first, second] = target < source ? [target, source] : [source, target]
  return holdingRoles(store, call, first, (one) =>
    holdingRoles(store, call, second, (other) =>
      work(target < source ? { target: one, source: other } : { target: other, source: one }),
    ),
  )
}
