import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { SPARE_LIMITS, Spares, type Spare } from './spares.ts'

interface Session extends Spare {
  readonly number: number
  isOpen: boolean
  isWarm: boolean
  /** The server closes it. */
  break(): void
}

class Full extends Error {}

/** Spares of a server that allows `maxConnections`; every connection that was opened is in `sessions`. */
function startWorld(maxConnections = 100, ofLogin = Number.POSITIVE_INFINITY) {
  const clock = new FakeClock()
  const sessions: Session[] = []
  const refusals: Error[] = []
  const spares = new Spares<Session>({ clock, isFull: (error) => error instanceof Full })
  const open = async (): Promise<Session> => {
    const refusal = refusals.shift()
    if (refusal) throw refusal
    const closed = Promise.withResolvers<void>()
    const close = (): void => {
      session.isOpen = false
      closed.resolve()
    }
    const session: Session = {
      number: sessions.length,
      isOpen: true,
      isWarm: false,
      closed: closed.promise,
      maxConnections,
      warm: async () => {
        session.isWarm = true
        return ofLogin
      },
      break: close,
      [Symbol.dispose]: close,
    }
    sessions.push(session)
    return session
  }
  const place = (owner: string, version = '1', server = 'db') => ({
    owner,
    version,
    server,
    open: () => Promise.reject(new Error('not used here')),
  })
  /** Statements of one connection at once. Resolves with the numbers of the spares that they took. */
  const read = async (owner: string, version = '1', times = 1, server = 'db') => {
    const uses = Array.from({ length: times }, () => spares.use(place(owner, version, server), open))
    const taken: (Session | undefined)[] = []
    for (const use of uses) taken.push(await use.take())
    for (const session of taken) session?.[Symbol.dispose]()
    for (const use of uses) use[Symbol.dispose]()
    await settled()
    return taken.map((session) => session?.number)
  }
  const alive = (): number => sessions.filter(({ isOpen }) => isOpen).length
  return { clock, spares, sessions, refusals, place, open, read, alive }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

test('the first statement finds no connection, each later one takes one that no other has had', async () => {
  const { read, alive } = startWorld()
  assert.deepEqual(await read('a'), [undefined])
  assert.deepEqual([await read('a'), await read('a')], [[0], [1]])
  assert.equal(alive(), 1)
})

test('a connection that nobody takes is closed after 60 seconds, and nothing is remembered', async () => {
  const { read, clock, alive } = startWorld()
  await read('a')
  clock.advance(SPARE_LIMITS.idleMilliseconds - 1)
  await settled()
  assert.equal(alive(), 1)
  clock.advance(1)
  await settled()
  assert.deepEqual([alive(), clock.waiting], [0, 0])
  assert.deepEqual(await read('a'), [undefined])
})

test('as many are kept as there were statements at once in the last minute, and no more than the limit', async () => {
  const { read, clock, alive } = startWorld(1000)
  await read('a')
  await read('a', '1', 5)
  assert.equal(alive(), 5)
  await read('a', '1', 30)
  assert.equal(alive(), SPARE_LIMITS.perConnection)
  clock.advance(SPARE_LIMITS.idleMilliseconds)
  await settled()
  await read('a')
  assert.equal(alive(), 1)
})

test('a connection that is kept is given to the next statement once it is renewed, and nothing is opened beside it', async () => {
  const { spares, place, open, sessions } = startWorld()
  const first = await open()
  const use = spares.use(place('a'), open)
  const renewal = Promise.withResolvers<Session>()
  assert.equal(
    use.keep(() => renewal.promise),
    true,
  )
  use[Symbol.dispose]()
  const taken = spares.use(place('a'), open).take()
  renewal.resolve(first)
  assert.equal((await taken)?.number, 0)
  assert.equal(sessions.length, 1)
})

test('statements at once each hand their connection on, and none is opened beside them', async () => {
  const { spares, place, open, read, sessions } = startWorld()
  await read('a')
  await read('a', '1', 3)
  const opened = sessions.length
  for (let round = 0; round < 2; round += 1) {
    const uses = Array.from({ length: 3 }, () => spares.use(place('a'), open))
    for (const use of uses) {
      const session = await use.take()
      assert.ok(session && use.keep(() => Promise.resolve(session)))
      use[Symbol.dispose]()
    }
    await settled()
  }
  assert.equal(sessions.length, opened)
})

test('a connection is not kept where enough are ready, when it is a minute old, or after the stored one has changed', async () => {
  const { spares, place, open, read, clock, alive } = startWorld()
  const keep = async (isLate: boolean): Promise<boolean> => {
    const use = spares.use(place('a'), open)
    const session = (await use.take()) ?? (await open())
    if (isLate) use.openNext()
    const isKept = use.keep(() => Promise.resolve(session))
    if (!isKept) session[Symbol.dispose]()
    use[Symbol.dispose]()
    await settled()
    return isKept
  }
  assert.deepEqual([await keep(false), await keep(true), alive()], [true, false, 1])
  // It is used every half a minute, and closed a minute after it was opened.
  const kept: boolean[] = []
  for (let half = 0; half < 4; half += 1) {
    kept.push(await keep(false))
    clock.advance(SPARE_LIMITS.idleMilliseconds / 2)
    await settled()
  }
  assert.deepEqual(kept, [true, true, false, true])
  const use = spares.use(place('a'), open)
  spares.drop('a')
  assert.equal(use.keep(open), false)
  use[Symbol.dispose]()
  assert.deepEqual([await read('a', '2'), alive()], [[undefined], 1])
})

test('a connection that cannot be renewed is not given to anybody', async () => {
  const { spares, place, open, read } = startWorld()
  const use = spares.use(place('a'), open)
  use.keep(() => Promise.reject(new Error('refused')))
  use[Symbol.dispose]()
  await settled()
  assert.deepEqual(await read('a'), [undefined])
})

test('a statement that takes long gets another connection opened beside it, for the next ones and for its end', async () => {
  const { spares, place, open, read, clock, sessions } = startWorld()
  await read('a')
  const use = spares.use(place('a'), open)
  await use.take()
  clock.advance(SPARE_LIMITS.besideMilliseconds - 1)
  await settled()
  assert.deepEqual([sessions.length, use.takeReady()], [1, undefined])
  clock.advance(1)
  await settled()
  assert.equal(use.takeReady()?.number, 1)
})

test('another version of the connection never gets one of an earlier version, which is closed', async () => {
  const { read, sessions, alive } = startWorld()
  await read('a', '1')
  assert.deepEqual(await read('a', '2'), [undefined])
  assert.deepEqual([sessions[0]?.isOpen, alive()], [false, 1])
  assert.deepEqual(await read('b', '2'), [undefined])
})

test('an update closes what is ready and what is being opened, and the statement in progress opens none', async () => {
  const { read, spares, place, open, alive } = startWorld()
  await read('a')
  const use = spares.use(place('a'), open)
  spares.drop('a')
  assert.equal(alive(), 0)
  use[Symbol.dispose]()
  await settled()
  assert.equal(alive(), 0)
  const opening = Promise.withResolvers<void>()
  spares.use(place('a'), () => opening.promise.then(open))[Symbol.dispose]()
  spares.drop('a')
  opening.resolve()
  await settled()
  assert.equal(alive(), 0)
})

test('a connection that the server has closed is not given to a statement', async () => {
  const { read, sessions } = startWorld()
  await read('a')
  sessions[0]?.break()
  await settled()
  assert.deepEqual(await read('a'), [undefined])
})

test('one that is being opened is given to the statement that waits for it, and to no second one', async () => {
  const { spares, place, open } = startWorld()
  const opening = Promise.withResolvers<void>()
  const slowly = () => opening.promise.then(open)
  spares.use(place('a'), slowly)[Symbol.dispose]()
  const [first, second] = [spares.use(place('a'), slowly), spares.use(place('a'), slowly)]
  const taken = [first.take(), second.take()]
  opening.resolve()
  const numbers = (await Promise.all(taken)).map((session) => session?.number)
  assert.deepEqual(numbers, [0, undefined])
})

test('all together are a tenth of what the server allows at most: others give way, a small server gets none', async () => {
  const { read, alive } = startWorld(30)
  for (const owner of ['a', 'b', 'c', 'd', 'e']) await read(owner)
  assert.equal(alive(), 3)
  assert.deepEqual([await read('a'), (await read('e')).length, alive()], [[undefined], 1, 3])
  await read('f', '1', 1, 'another server')
  assert.equal(alive(), 4)
  const small = startWorld(9)
  await small.read('a')
  await small.read('a')
  assert.equal(small.alive(), 0)
})

test('a login with few connections of its own keeps none', async () => {
  const { read, clock, alive } = startWorld(100, 5)
  await read('a')
  assert.equal(alive(), 1)
  clock.advance(SPARE_LIMITS.coldMilliseconds)
  await settled()
  assert.equal(alive(), 0)
})

test('a connection is warmed once nobody has asked for it at once', async () => {
  const { read, clock, sessions } = startWorld()
  await read('a')
  assert.equal(sessions[0]?.isWarm, false)
  clock.advance(SPARE_LIMITS.coldMilliseconds)
  await settled()
  assert.equal(sessions[0]?.isWarm, true)
  assert.deepEqual(await read('a'), [0])
})

test('a server without room gets its connections back, and none are kept on it for a while', async () => {
  const { read, refusals, spares, place, open, clock, alive } = startWorld()
  await read('a')
  await read('b')
  const use = spares.use(place('c'), open)
  assert.deepEqual([use.makeRoom(), alive(), use.makeRoom()], [true, 0, false])
  use[Symbol.dispose]()
  await read('a')
  assert.equal(alive(), 0)
  clock.advance(SPARE_LIMITS.fullMilliseconds)
  await read('a')
  await read('b')
  assert.equal(alive(), 2)
  // A spare that the server refuses says the same.
  refusals.push(new Full())
  await read('c')
  assert.equal(alive(), 0)
})

test('a spare that is being opened makes room as well: it is closed as soon as it is open', async () => {
  const { spares, place, open, alive } = startWorld()
  spares.use(place('a'), open)[Symbol.dispose]()
  const use = spares.use(place('b'), open)
  assert.equal(use.makeRoom(), true)
  await settled()
  assert.deepEqual([alive(), use.makeRoom()], [0, false])
  use[Symbol.dispose]()
})

/** A statement that reads, and what becomes of it; `keep` hands its connection on. */
function startReads({ spares, place, open }: ReturnType<typeof startWorld>) {
  return () => {
    const use = spares.use(place('a'), open)
    const taking: { number?: number | undefined; isOver: boolean } = { isOver: false }
    void use.take().then((session) => Object.assign(taking, { isOver: true, number: session?.number }))
    return {
      taking,
      end: () => use[Symbol.dispose](),
      keep: async (session: Session) => {
        const isKept = use.keep(() => Promise.resolve(session))
        use[Symbol.dispose]()
        await settled()
        return isKept
      },
    }
  }
}

/** A connection that is handed on by a statement that has it alone. */
async function handingOn() {
  const world = startWorld()
  await world.read('a')
  const begin = startReads(world)
  const [session] = world.sessions
  assert.ok(session)
  assert.equal(await begin().keep(session), true)
  return { ...world, begin, session }
}

test('who finds no connection waits for one that is handed on, each for another', async () => {
  const { begin, session } = await handingOn()
  const [first, second, third] = [begin(), begin(), begin()]
  await settled()
  assert.deepEqual(
    [first, second, third].map(({ taking }) => [taking.isOver, taking.number]),
    [
      [true, 0],
      [false, undefined],
      [true, undefined],
    ],
    'one connection is there for one of them',
  )
  assert.equal(await first.keep(session), true)
  assert.deepEqual(second.taking, { isOver: true, number: 0 })
})

/** One statement that has the connection, and one that waits for it. */
async function waitingFor() {
  const world = await handingOn()
  const [first, second] = [world.begin(), world.begin()]
  await settled()
  assert.deepEqual([first.taking.number, second.taking.isOver], [0, false])
  return { ...world, first, second }
}
const inVain = { isOver: true, number: undefined }

test('a statement waits for no longer than a slow one may take, and then the next ones do not wait at all', async () => {
  const { begin, clock, second } = await waitingFor()
  clock.advance(SPARE_LIMITS.handOnMilliseconds - 1)
  await settled()
  assert.equal(second.taking.isOver, false)
  clock.advance(1)
  await settled()
  const next = begin()
  await settled()
  assert.deepEqual([second.taking, next.taking], [inVain, inVain])
})

test('a statement waits no longer for a connection that is closed, or whose record has changed', async () => {
  const closed = await waitingFor()
  closed.first.end()
  await settled()
  assert.deepEqual(closed.second.taking, inVain)
  const changed = await waitingFor()
  changed.spares.drop('a')
  await settled()
  assert.deepEqual(changed.second.taking, inVain)
})

test('a statement whose time is over leaves its place to the next one that waits', async () => {
  const { begin, second } = await waitingFor()
  // Opens its connection itself, so that two may wait.
  const other = begin()
  await settled()
  const third = begin()
  await settled()
  assert.deepEqual([other.taking, second.taking.isOver, third.taking.isOver], [inVain, false, false])
  second.end()
  await settled()
  assert.deepEqual([second.taking, third.taking], [inVain, { isOver: true, number: 1 }])
})

test('a connection that is not there in time is given up, and so is one whose record has changed', async () => {
  const { spares, place, open, clock } = startWorld()
  const signals: AbortSignal[] = []
  const never = (signal: AbortSignal) =>
    new Promise<Session>((_, reject) => {
      signals.push(signal)
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    })
  const given = (): readonly boolean[] => signals.map(({ aborted }) => aborted)
  spares.use(place('a'), never)[Symbol.dispose]()
  spares.use(place('b', '1', 'another server'), never)[Symbol.dispose]()
  spares.drop('b')
  clock.advance(SPARE_LIMITS.openMilliseconds - 1)
  assert.deepEqual(given(), [false, true])
  clock.advance(1)
  await settled()
  assert.deepEqual([given(), clock.waiting], [[true, true], 0])
  spares.use(place('a'), open)[Symbol.dispose]()
  await settled()
  assert.equal(signals.length, 2)
})

test('a stop closes everything, and statements after it open nothing beside', async () => {
  const { read, spares, alive } = startWorld()
  await read('a')
  await spares[Symbol.asyncDispose]()
  assert.equal(alive(), 0)
  assert.deepEqual(await read('a'), [undefined])
  assert.equal(alive(), 0)
})
