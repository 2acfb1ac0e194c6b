import type { Clock } from '@fleet/kernel'
import type { ServerTarget, SparePlace } from '#/access.ts'
import type { Spare, Spares, Use } from '#/spares/spares.ts'
import { stillRunning, type TimeLimit } from '#/time/time-limit.ts'

/** One connection that one statement uses at a time. Disposing of it closes it. */
export interface Session extends Disposable {
  /** Drops the connection at once, with what is in flight. */
  cutOff(): void
  /** Resolves with the next bytes of the server. */
  heard(): Promise<void>
}

/** What the two protocols do each in its own way. `S` is a connection, `R` what is known of one that was made ready. */
export interface Engine<S extends Session, R> {
  readonly clock: Clock
  readonly spares: Spares<ReadySession<S, R>>
  /** Connects and logs in. */
  connect(target: ServerTarget, signal: AbortSignal): Promise<S>
  /** Asks and sets what does not depend on a statement, so that it need not be done later. */
  makeReady(session: S): Promise<ReadySession<S, R>>
  /**
   * Makes a session that has served a statement which leaves nothing (`Work.leavesNothing`) as it was after its login. Rejects
   * where the server does not do so. Absent where the next statement always gets another connection.
   */
  readonly renew?: (session: S) => Promise<ReadySession<S, R>>
  /** Ends a statement at the server by another connection. */
  end(session: S, by: S): Promise<void>
  loginFailure(error: unknown): Error
  /** Whether the server refused a connection because it has too many. */
  isFull(error: unknown): boolean
  /** Whether a connection broke, in contrast to an answer of the server. */
  isLost(error: unknown): boolean
}

/** A connection that was opened before its statement came. */
export interface ReadySession<S, R> extends Spare {
  readonly session: S
  readonly known: R
}

export interface Work<S, R, P, T> {
  /** Runs nothing of the caller's, so it may run again on another connection. */
  prepare(session: S, known: R | undefined): Promise<P>
  run(session: S, prepared: P): Promise<T>
  /** Whether what was prepared surely leaves nothing in its session, so that it can be renewed for the next statement. */
  leavesNothing?(prepared: P): boolean
}

export interface At {
  readonly target: ServerTarget
  readonly limit: TimeLimit
}

/** A server that says nothing on a spare for so long is not there any more, or has no use for it. */
const SILENT_MILLISECONDS = 1000
const END_MILLISECONDS = 3000
const ROOM_TRIES = 40
const ROOM_MILLISECONDS = 50

/**
 * Work on a connection that nobody has used, or that is as if nobody had (decision 0289). When the time is over while it is
 * running, a second connection ends it at the server before this rejects.
 */
export async function withSession<S extends Session, R, P, T>(
  engine: Engine<S, R>,
  at: At,
  work: Work<S, R, P, T>,
): Promise<T> {
  using use = useOf(engine, at.target)
  const spare = use && (await preparedSpare(engine, at, use, work))
  const session = spare?.session ?? (await connected(engine, at, use))
  using closing = new DisposableStack()
  closing.use(session)
  return await ending(engine, at, use, session, async () => {
    const prepared = spare ? spare.prepared : await at.limit.race(work.prepare(session, undefined))
    const renew = work.leavesNothing?.(prepared) ? engine.renew : undefined
    if (spare && !renew) use?.openNext()
    const result = await at.limit.race(work.run(session, prepared))
    if (renew && use?.keep((signal) => closedUnless(signal, session, () => renew(session)))) closing.move()
    return result
  })
}

type UseOf<S, R> = Use<ReadySession<S, R>> | undefined

const useOf = <S extends Session, R>(engine: Engine<S, R>, target: ServerTarget): UseOf<S, R> =>
  target.spares && engine.spares.use(target.spares, opener(engine, target, target.spares))

const opener =
  <S extends Session, R>(engine: Engine<S, R>, target: ServerTarget, { open }: SparePlace) =>
  async (signal: AbortSignal): Promise<ReadySession<S, R>> => {
    const session = await engine.connect({ ...target, open }, signal)
    return closedUnless(signal, session, () => engine.makeReady(session))
  }

/** Work on a session that is cut off when it fails or the signal aborts. */
async function closedUnless<T>(signal: AbortSignal, session: Session, work: () => Promise<T>): Promise<T> {
  const cut = (): void => session.cutOff()
  signal.addEventListener('abort', cut, { once: true })
  try {
    return await work()
  } catch (error) {
    session.cutOff()
    throw error
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** A spare on which the work is prepared; undefined when there is none that answers. */
async function preparedSpare<S extends Session, R, P, T>(
  engine: Engine<S, R>,
  at: At,
  use: Use<ReadySession<S, R>>,
  work: Work<S, R, P, T>,
): Promise<{ readonly session: S; readonly prepared: P } | undefined> {
  const spare = await timely(at.limit, soon(engine.clock, use.take()))
  if (!spare) return undefined
  const { session, known } = spare
  try {
    return await ending(engine, at, use, session, async () => {
      const prepared = answered(engine.clock, session, work.prepare(session, known))
      return { session, prepared: await at.limit.race(prepared) }
    })
  } catch (error) {
    session.cutOff()
    if (at.limit.signal.aborted || !(error instanceof Silent || engine.isLost(error))) throw error
    // What ended this one ended the others.
    use.discard()
    return undefined
  }
}

/** One that is being opened may be waited for, but no longer than opening another would take. */
async function soon<S extends Disposable>(
  clock: Clock,
  coming: Promise<S | undefined>,
): Promise<S | undefined> {
  using timer = clock.timer(SILENT_MILLISECONDS)
  let isLate = false
  void coming.then((spare) => isLate && spare?.[Symbol.dispose]())
  return await Promise.race([
    coming,
    timer.over.then(() => {
      isLate = true
      return undefined
    }),
  ])
}

class Silent extends Error {
  override readonly name = 'Silent'
}

/** Rejects when the server does not begin to answer. */
async function answered<P>(clock: Clock, session: Session, work: Promise<P>): Promise<P> {
  using timer = clock.timer(SILENT_MILLISECONDS)
  const silence = Promise.withResolvers<never>()
  let isHeard = false
  void session.heard().then(() => (isHeard = true))
  void timer.over.then(() => isHeard || silence.reject(new Silent('the server does not answer')))
  work.catch(() => undefined)
  return await Promise.race([work, silence.promise])
}

async function connected<S extends Session, R>(
  engine: Engine<S, R>,
  { target, limit }: At,
  use: UseOf<S, R>,
): Promise<S> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await timely(limit, engine.connect(target, limit.signal))
    } catch (error) {
      if (limit.signal.aborted) throw limit.signal.reason
      const hadSpares = engine.isFull(error) && (use?.makeRoom() ?? false)
      // A closed connection takes its server a moment.
      if (tries >= ROOM_TRIES || !(hadSpares || (tries > 0 && engine.isFull(error))))
        throw engine.loginFailure(error)
      await engine.clock.sleep(ROOM_MILLISECONDS, limit.signal)
    }
  }
}

/** What comes after the end is closed at once. */
function timely<S extends Disposable | undefined>(limit: TimeLimit, coming: Promise<S>): Promise<S> {
  coming.then(
    (late) => limit.signal.aborted && late?.[Symbol.dispose](),
    () => undefined,
  )
  return limit.race(coming)
}

/** Ends the statement at the server when it ends here because its time is over. */
async function ending<S extends Session, R, T>(
  engine: Engine<S, R>,
  { target, limit }: At,
  use: UseOf<S, R>,
  session: S,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!limit.signal.aborted) throw error
    session.cutOff()
    throw (await endAtServer(engine, target, use, session)) ? error : stillRunning(limit.signal.reason)
  }
}

/** Whether it has ended. Never throws: where no second connection can be had, the limits of the server are the last resort. */
async function endAtServer<S extends Session, R>(
  engine: Engine<S, R>,
  target: ServerTarget,
  use: UseOf<S, R>,
  session: S,
): Promise<boolean> {
  const signal = AbortSignal.timeout(END_MILLISECONDS)
  const ready = use?.takeReady()
  if (ready) {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(SILENT_MILLISECONDS)])
    if (await ended(engine, { session, signal: soon }, () => Promise.resolve(ready.session))) return true
  }
  return ended(engine, { session, signal }, () => engine.connect(target, signal))
}

/** Whether the statement is surely gone. */
async function ended<S extends Session, R>(
  engine: Engine<S, R>,
  { session, signal }: { readonly session: S; readonly signal: AbortSignal },
  connect: () => Promise<S>,
): Promise<boolean> {
  try {
    using other = await connect()
    signal.addEventListener('abort', () => other.cutOff(), { once: true })
    await engine.end(session, other)
    return !signal.aborted
  } catch {
    return false
  }
}
