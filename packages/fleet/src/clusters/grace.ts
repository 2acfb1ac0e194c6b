import { fail } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'

/** Resolvers keep an answer for 30 s, and a second is for the way (RTX-043, RTX-106). */
export const ANSWER_GRACE_MILLISECONDS = 31_000

/** Waits until no resolver returns what it was told before. Throws `http.draining` when the end of the gateway cuts that short. */
export async function forgotten({ clock }: { readonly clock: Clock }, call: Call): Promise<void> {
  await clock.sleep(ANSWER_GRACE_MILLISECONDS, call.signal)
  if (call.signal.aborted) throw fail('http.draining')
}

/** What a change that came to nothing left goes after this time; one that takes longer holds it up by the lock of its Cluster. */
const UNENDED_MILLISECONDS = 300_000

export interface GraceDeps {
  readonly store: Pick<Store, 'work'>
  readonly clock: Clock
}

/** What is taken away once nobody is led there any more. */
export interface Withdrawal {
  readonly kind: string
  readonly key: string
  readonly payload: unknown
}

/**
 * Changes where names lead, and has the work done when resolvers have forgotten what they were told before: counted from the end
 * of the change, and anew with each later one (decision 0309). It outlives the request.
 */
export async function withdrawingLater(
  deps: GraceDeps,
  withdrawal: Withdrawal,
  change: () => Promise<void>,
): Promise<void> {
  await postpone(deps, withdrawal, UNENDED_MILLISECONDS)
  try {
    await change()
  } catch (error) {
    // Undone just now, however long that took; where it cannot be stored, the earlier time stands.
    await postpone(deps, withdrawal, UNENDED_MILLISECONDS).catch(() => undefined)
    throw error
  }
  await beginGrace(deps, withdrawal)
}

/** Stored, so that the end of a gateway shortens no wait. */
export const beginGrace = (deps: GraceDeps, withdrawal: Withdrawal): Promise<void> =>
  postpone(deps, withdrawal, ANSWER_GRACE_MILLISECONDS)

/**
 * Whether the grace was begun anew: by a change since the work began, which then waits for the lock of its Cluster and asks under this
 * lock, or by the work itself, whose gateway ended and which another one has taken over. Of work that runs, not by a time: the clock may have been set
 * back since the work began.
 */
export const isPostponed = ({ store, clock }: GraceDeps, { kind, key }: Withdrawal): Promise<boolean> =>
  store.work.isPostponed(kind, key, clock.now())

const postpone = ({ store, clock }: GraceDeps, withdrawal: Withdrawal, milliseconds: number): Promise<void> =>
  store.work.add({
    ...withdrawal,
    dueAt: new Date(clock.now().getTime() + milliseconds),
    postpones: true,
  })
