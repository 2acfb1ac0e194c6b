import type { Clock } from '@fleet/kernel'
import type { NewWork, Store } from '@fleet/store'

/** Resolvers keep an answer for 30 s (RTX-043, RTX-106). */
export const ANSWER_GRACE_MILLISECONDS = 31_000

/** What a change that came to nothing left goes after this time; one that takes longer holds it up by the lock of its Cluster. */
const UNENDED_MILLISECONDS = 300_000

export interface GraceDeps {
  readonly store: Pick<Store, 'work'>
  readonly clock: Clock
}

/** What is taken away once nobody is led there any more. */
export type Withdrawal = Required<Pick<NewWork, 'kind' | 'key' | 'payload'>>

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
  await change()
  await postpone(deps, withdrawal, ANSWER_GRACE_MILLISECONDS)
}

/**
 * Whether a change has come since the work began, which then waits for the lock of its Cluster: it is done after the grace of that
 * one. Asked under this lock.
 */
export async function isPostponed(
  { store, clock }: GraceDeps,
  { kind, key }: Pick<Withdrawal, 'kind' | 'key'>,
): Promise<boolean> {
  const due = key === undefined ? undefined : await store.work.dueAt(kind, key)
  return due !== undefined && due > clock.now()
}

const postpone = ({ store, clock }: GraceDeps, withdrawal: Withdrawal, milliseconds: number): Promise<void> =>
  store.work.add({
    ...withdrawal,
    dueAt: new Date(clock.now().getTime() + milliseconds),
    postpones: true,
  })
