import type { HeldLock, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding } from '#/holding.ts'

const WAIT_MILLISECONDS = 30_000
const LEASE_SECONDS = 600

/** One request at a time changes the operators' rules of a Node. Throws `firewall.operation_busy` after 30 s, or the rest of the request's time. */
export const holdingRules = <T>(
  store: Store,
  call: Call,
  nodeId: number,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> =>
  holding(
    store,
    call,
    {
      lock: `firewall:${nodeId}`,
      waitMilliseconds: Math.max(0, Math.min(WAIT_MILLISECONDS, call.deadline.forwardMilliseconds())),
      leaseSeconds: LEASE_SECONDS,
      busy: 'firewall.operation_busy',
    },
    work,
  )
