import type { SparePlace } from '#/access.ts'

/** A connection that is as after its login. Disposing of it closes it. */
export interface Spare extends Disposable {
  /** Resolves once the connection is gone, whoever closed it. */
  readonly closed: Promise<void>
  /** How many connections the server allows. */
  readonly maxConnections: number
  /**
   * Does what makes the next statement faster but takes longer than opening a connection. Resolves with the number of
   * connections that the login may have. Nobody takes the connection meanwhile.
   */
  warm(): Promise<number>
}

export interface Ready<S> {
  readonly session: S
  /** When it was connected. */
  readonly sinceTicks: number
  readonly timers: readonly Disposable[]
  warming: Promise<void> | undefined
}

export interface Opening<S> {
  isClaimed: boolean
  readonly sinceTicks: number
  readonly opened: Promise<S | undefined>
}

/** A connection that somebody else has used, or undefined. */
export type Waiter<S> = (given: Given<S> | undefined) => void

export interface Given<S> {
  readonly session: S
  readonly sinceTicks: number
}

/** What is known of one version of a stored connection. */
export interface Version<S> {
  readonly place: SparePlace
  readonly ending: AbortController
  readonly ready: Ready<S>[]
  readonly opening: Opening<S>[]
  active: number
  /** Statements that wait for a connection that is handed on, in their order. */
  readonly waiting: Waiter<S>[]
  /** Whether the last statement that ended handed its connection on, and nobody waited for one in vain since. */
  handsOn: boolean
  /** How many the login may have kept, as far as that is known. */
  allowed: number
  /** The most statements at once of the last minute. */
  peak: number
  peakTicks: number
}

export const unclaimedOf = <S>({ opening }: Pick<Version<S>, 'opening'>): number =>
  opening.filter(({ isClaimed }) => !isClaimed).length

/** Statements that have a connection or are about to open one. */
export const holdersOf = <S>({ active, waiting }: Pick<Version<S>, 'active' | 'waiting'>): number =>
  active - waiting.length

/** Who waits for more connections than can still come opens one. */
export function releaseWaiters<S>(version: Version<S>): void {
  while (version.waiting.length > holdersOf(version) + unclaimedOf(version))
    version.waiting.pop()?.(undefined)
}

export function stopTimers({ timers }: Pick<Ready<unknown>, 'timers'>): void {
  for (const timer of timers) timer[Symbol.dispose]()
}

export function closeReady(ready: Ready<Disposable>): void {
  stopTimers(ready)
  ready.session[Symbol.dispose]()
}

/** Closes spares of others until one more is within the limit. False where only the connection's own are left. */
export function makesRoom<S extends Spare>(
  versions: ReadonlyArray<Version<S>>,
  own: Version<S>,
  limit: number,
): boolean {
  const count = (): number =>
    versions.reduce((sum, { ready, opening }) => sum + ready.length + opening.length, 0)
  while (count() >= limit) {
    const other = versions.find((version) => version !== own && version.ready.length > 0)
    const oldest = other?.ready.shift()
    if (!oldest) return false
    closeReady(oldest)
  }
  return true
}
