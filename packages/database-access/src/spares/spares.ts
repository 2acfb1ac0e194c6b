import type { Clock } from '@fleet/kernel'
import type { SparePlace } from '#/access.ts'
import {
  closeReady,
  type Given,
  holdersOf,
  makesRoom,
  type Opening,
  type Ready,
  releaseWaiters,
  type Spare,
  stopTimers,
  unclaimedOf,
  type Version,
} from './version.ts'

export type { Spare } from './version.ts'

export const SPARE_LIMITS = {
  /** A spare that nobody took is closed, and a connection that is older than this is not renewed. */
  idleMilliseconds: 60_000,
  /** Who asks again at once is served sooner by the next connection than by a warmer one. */
  coldMilliseconds: 20,
  /** A statement that takes longer than this gets another connection opened beside it. */
  besideMilliseconds: 250,
  openMilliseconds: 10_000,
  /** For which a statement waits for the connection of another one, while such are handed on. */
  handOnMilliseconds: 50,
  /** Of one version, whatever its callers do. */
  perConnection: 8,
  perGateway: 64,
  /** Of the connections that a server allows, one in so many is kept at most. */
  serverShare: 10,
  /** After a server had no room, none are kept on it. */
  fullMilliseconds: 60_000,
} as const

/** Why one was not opened, which nobody is told. */
const NOT_OPENED = new Error('no connection in time')

/** Resolves with a spare that was connected, or made as after its login. */
export type Open<S> = (signal: AbortSignal) => Promise<S>

/** One statement of a connection: it may take a spare, and its end opens the next. */
export interface Use<S> extends Disposable {
  /** A spare, or undefined when there is none. Waits for one that is being opened or renewed. */
  take(): Promise<S | undefined>
  /** Opens the next one at once: this statement's connection will be closed. */
  openNext(): void
  /** Keeps the connection of this statement, once it is renewed. False where none is wanted or it is too old. */
  keep(renew: Open<S>): boolean
  /** The same, but one that is open already. */
  takeReady(): S | undefined
  /** Closes what is ready: the server does not answer on them. */
  discard(): void
  /** Closes every spare on the server, and keeps none there for a while. Returns whether any was closed. */
  makeRoom(): boolean
}

export interface SparesDeps {
  readonly clock: Clock
  /** Whether a server refused a connection because it has too many. */
  readonly isFull: (error: unknown) => boolean
}

/**
 * Connections for the next statements (decision 0265). Each is used by one statement, as if that had opened it (0147), or by
 * several of which none leaves anything (0289); they belong to one version of a stored connection, follow the number of statements at once, and stay below a
 * share of what the server allows.
 */
export class Spares<S extends Spare> implements AsyncDisposable {
  readonly #deps: SparesDeps
  readonly #versions = new Map<string, Version<S>>()
  readonly #fullUntil = new Map<string, number>()
  /** How many each server may have kept, as its connections said; one until then. */
  readonly #shares = new Map<string, number>()
  #isClosed = false

  constructor(deps: SparesDeps) {
    this.#deps = deps
  }

  /** Counts a statement; `open` connects a spare for the ones after it. */
  use(place: SparePlace, open: Open<S>): Use<S> {
    const version = this.#versionOf(place)
    this.#count(version)
    let sinceTicks = this.#deps.clock.ticks()
    const openNext = (): void => this.#refill(version, open, version.active - 1)
    const whileUsed = new DisposableStack()
    return {
      takeReady: () => this.#takeReady(version, false)?.session,
      take: async () => {
        const ready = this.#takeReady(version, true)
        const opening = ready ? undefined : this.#claim(version)
        sinceTicks = (ready ?? opening)?.sinceTicks ?? sinceTicks
        if (ready)
          void whileUsed.use(this.#deps.clock.timer(SPARE_LIMITS.besideMilliseconds)).over.then(openNext)
        await ready?.warming
        if (ready || opening) return ready?.session ?? (await opening?.opened)
        const given = await this.#awaitOne(version, whileUsed)
        sinceTicks = given?.sinceTicks ?? sinceTicks
        return given?.session
      },
      openNext,
      keep: (renew) => this.#renew(version, renew, sinceTicks),
      discard: () => this.#discard(version),
      makeRoom: () => this.#makeRoom(place.server),
      [Symbol.dispose]: () => {
        whileUsed[Symbol.dispose]()
        version.active -= 1
        releaseWaiters(version)
        this.#refill(version, open, version.active)
        this.#sweep(version)
      },
    }
  }

  /** Closes the spares of a connection that has changed or is gone. */
  drop(owner: string): void {
    for (const [key, version] of this.#versions) if (version.place.owner === owner) this.#end(key, version)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const opening = [...this.#versions.values()].flatMap((version) =>
      version.opening.map(({ opened }) => opened),
    )
    for (const [key, version] of this.#versions) this.#end(key, version)
    await Promise.all(opening)
  }

  #versionOf(place: SparePlace): Version<S> {
    const key = keyOf(place)
    const known = this.#versions.get(key)
    if (known) return known
    // The row was changed by another gateway, or its Node was.
    this.drop(place.owner)
    const version: Version<S> = {
      place,
      ending: new AbortController(),
      ready: [],
      opening: [],
      active: 0,
      waiting: [],
      handsOn: false,
      allowed: Number.POSITIVE_INFINITY,
      peak: 0,
      peakTicks: 0,
    }
    this.#versions.set(key, version)
    return version
  }

  #count(version: Version<S>): void {
    version.active += 1
    const now = this.#deps.clock.ticks()
    if (version.active < version.peak && now - version.peakTicks < SPARE_LIMITS.idleMilliseconds) return
    version.peak = version.active
    version.peakTicks = now
  }

  #takeReady({ ready }: Version<S>, isPatient: boolean): Ready<S> | undefined {
    const one = ready.find(({ warming }) => warming === undefined) ?? (isPatient ? ready[0] : undefined)
    if (!one) return undefined
    ready.splice(ready.indexOf(one), 1)
    stopTimers(one)
    return one
  }

  #claim(version: Version<S>): Opening<S> | undefined {
    const opening = version.opening.find(({ isClaimed }) => !isClaimed)
    if (opening) opening.isClaimed = true
    return opening
  }

  /** Waits for one that another statement hands on, which takes less than a login; undefined when none comes in time. */
  async #awaitOne(version: Version<S>, whileUsed: DisposableStack): Promise<Given<S> | undefined> {
    if (!version.handsOn || version.waiting.length >= holdersOf(version) - 1) return undefined
    using timer = this.#deps.clock.timer(SPARE_LIMITS.handOnMilliseconds)
    const { promise, resolve } = Promise.withResolvers<Given<S> | undefined>()
    version.waiting.push(resolve)
    const leave = (): boolean => {
      const at = version.waiting.indexOf(resolve)
      if (at < 0) return false
      version.waiting.splice(at, 1)
      resolve(undefined)
      return true
    }
    // A statement whose time is over gets no connection that another one waits for.
    whileUsed.defer(leave)
    void timer.over.then(() => {
      // Statements take longer than a login now.
      if (leave()) version.handsOn = false
    })
    return await promise
  }

  /** `others` are statements in progress, whose connections may be handed on. */
  #refill(version: Version<S>, open: Open<S>, others: number): void {
    while (this.#wantsMore(version, others)) this.#open(version, open, this.#deps.clock.ticks())
  }

  #renew(version: Version<S>, renew: Open<S>, sinceTicks: number): boolean {
    const isOld = this.#deps.clock.ticks() - sinceTicks >= SPARE_LIMITS.idleMilliseconds
    if (isOld || !(this.#isAwaited(version) || this.#wantsMore(version, 0))) return false
    version.handsOn = true
    this.#open(version, renew, sinceTicks)
    return true
  }

  /** Whether more statements wait than connections are on their way. */
  #isAwaited(version: Version<S>): boolean {
    return this.#keeps(version) && version.waiting.length > unclaimedOf(version)
  }

  #wantsMore(version: Version<S>, others: number): boolean {
    const { ready, peak } = version
    const unclaimed = unclaimedOf(version)
    const wanted = Math.min(peak, SPARE_LIMITS.perConnection)
    return this.#keeps(version) && ready.length + unclaimed + others < wanted && this.#hasRoom(version)
  }

  #keeps({ ending, place }: Version<S>): boolean {
    const until = this.#fullUntil.get(place.server) ?? 0
    return !this.#isClosed && !ending.signal.aborted && this.#deps.clock.ticks() >= until
  }

  /** Whether one more may be kept; the oldest spare of another connection is closed for it. */
  #hasRoom(version: Version<S>): boolean {
    const { place, allowed } = version
    const all = [...this.#versions.values()]
    const near = all.filter((other) => other.place.server === place.server)
    const share = Math.min(allowed, this.#shares.get(place.server) ?? 1)
    return makesRoom(near, version, share) && makesRoom(all, version, SPARE_LIMITS.perGateway)
  }

  #open(version: Version<S>, open: Open<S>, sinceTicks: number): void {
    const time = this.#timeToOpen(version)
    const remove = (): void => {
      time[Symbol.dispose]()
      version.opening.splice(version.opening.indexOf(opening), 1)
    }
    const opened = open(time.signal).then(
      (session) => {
        remove()
        this.#shares.set(version.place.server, shareOf(session.maxConnections))
        if (opening.isClaimed) return session
        const waiter = this.#keeps(version) ? version.waiting.shift() : undefined
        if (waiter) {
          waiter({ session, sinceTicks })
          return undefined
        }
        if (this.#keeps(version) && this.#hasRoom(version)) this.#keep(version, session, sinceTicks)
        else session[Symbol.dispose]()
        this.#sweep(version)
        return undefined
      },
      (error: unknown) => {
        remove()
        if (this.#deps.isFull(error)) this.#makeRoom(version.place.server)
        releaseWaiters(version)
        // The next statement opens one itself, and its caller is told.
        this.#sweep(version)
        return undefined
      },
    )
    const opening: Opening<S> = { isClaimed: false, sinceTicks, opened }
    version.opening.push(opening)
  }

  /** Its signal aborts when the time to open is over, or the version ends. */
  #timeToOpen({ ending }: Version<S>): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController()
    const end = (): void => controller.abort(NOT_OPENED)
    if (ending.signal.aborted) end()
    else ending.signal.addEventListener('abort', end, { once: true })
    const timer = this.#deps.clock.timer(SPARE_LIMITS.openMilliseconds)
    void timer.over.then(end)
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]()
        ending.signal.removeEventListener('abort', end)
      },
    }
  }

  #keep(version: Version<S>, session: S, sinceTicks: number): void {
    const { clock } = this.#deps
    const idle = clock.timer(SPARE_LIMITS.idleMilliseconds)
    const cold = clock.timer(SPARE_LIMITS.coldMilliseconds)
    const ready: Ready<S> = { session, sinceTicks, timers: [idle, cold], warming: undefined }
    version.ready.push(ready)
    const remove = (): void => {
      const at = version.ready.indexOf(ready)
      if (at < 0) return
      version.ready.splice(at, 1)
      closeReady(ready)
      this.#sweep(version)
    }
    void idle.over.then(remove)
    void session.closed.then(remove)
    void cold.over.then(() => (ready.warming = this.#warm(version, ready, remove)))
  }

  async #warm(version: Version<S>, ready: Ready<S>, remove: () => void): Promise<void> {
    try {
      version.allowed = shareOf(await ready.session.warm())
      if (version.ready.length > version.allowed) remove()
    } catch {
      remove()
    }
    ready.warming = undefined
  }

  #discard({ ready }: Version<S>): void {
    for (const one of ready.splice(0)) closeReady(one)
  }

  #makeRoom(server: string): boolean {
    this.#fullUntil.set(server, this.#deps.clock.ticks() + SPARE_LIMITS.fullMilliseconds)
    const near = [...this.#versions.values()].filter(({ place }) => place.server === server)
    // What is being opened holds a place, too, and is closed once it is open.
    const hadAny = near.some(
      ({ ready, opening }) => ready.length > 0 || opening.some(({ isClaimed }) => !isClaimed),
    )
    for (const version of near) this.#discard(version)
    return hadAny
  }

  #end(key: string, version: Version<S>): void {
    this.#versions.delete(key)
    version.ending.abort(new Error('the connection was changed'))
    for (const waiter of version.waiting.splice(0)) waiter(undefined)
    this.#discard(version)
  }

  /** Nothing is remembered of a connection that nobody uses. */
  #sweep(version: Version<S>): void {
    const isUsed = version.active > 0 || version.ready.length > 0 || version.opening.length > 0
    const key = keyOf(version.place)
    if (!isUsed && this.#versions.get(key) === version) this.#versions.delete(key)
    const { server } = version.place
    const isKnown = [...this.#versions.values()].some(({ place }) => place.server === server)
    if (!isKnown) this.#shares.delete(server)
  }
}

const keyOf = ({ owner, version }: SparePlace): string => `${owner}\0${version}`

const shareOf = (connections: number): number => Math.floor(connections / SPARE_LIMITS.serverShare)
