import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempDisposableSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { ensureRoot } from '@fleet/pki'
import type { Store } from '@fleet/store'
import { sampleShare } from '@fleet/testing/sample'
import { forEachDialect, makeTestDatabase, openTestStore, TEST_APP_KEY } from '@fleet/testing'

const PROGRAM = join(import.meta.dirname, 'gateway-process.ts')
const PIECES = 200
/** Both gateways have done all of it after five seconds when nobody kills them. */
const PIECE_MILLISECONDS = 200
const KILL_EVERY_MILLISECONDS = 2000
/** A quarter of a minute, and all of it in a whole run; what is left then is done in peace. */
const KILL_FOR_MILLISECONDS = 60_000 / sampleShare(4)

/** A gateway that starts again whenever it is killed, on its own home. */
class Mortal implements AsyncDisposable {
  readonly #given: object
  readonly #home = mkdtempSync(join(tmpdir(), 'fleet-killed-'))
  #child: ChildProcess | undefined
  #ready = false
  #starting: Promise<void> | undefined
  kills = 0

  constructor(given: object, caDirectory: string) {
    this.#given = given
    cpSync(caDirectory, join(this.#home, 'ca'), { recursive: true })
  }

  start(): Promise<void> {
    return (this.#starting = this.#start())
  }

  /** Kills a gateway that takes work; one that is still starting is left to it. */
  async kill(): Promise<void> {
    if (!this.#ready) return
    await this.#end()
    this.kills += 1
    void this.start()
  }

  async #start(): Promise<void> {
    const given = JSON.stringify({ ...this.#given, home: this.#home })
    const child = spawn(process.execPath, [PROGRAM, given], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    this.#ready = isAlive(child)
  }

  async #end(): Promise<void> {
    this.#ready = false
    const child = this.#child
    if (!child || !isAlive(child)) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#starting
    await this.#end()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

const addAll = async (store: Store): Promise<void> => {
  const dueAt = systemClock.now()
  for (let piece = 1; piece <= PIECES; piece += 1)
    await store.work.add({ kind: 'test:piece', key: `${piece}`, payload: { piece }, dueAt })
}

const left = async ({ db }: Store): Promise<number> =>
  (await db.selectFrom('work').select('id').where('kind', '=', 'test:piece').execute()).length

// A SQLite file belongs to one gateway.
forEachDialect(
  'of 200 pieces of work each is done once, with its Activities, while one of two gateways is killed every two seconds',
  ['postgres'],
  async (dialect) => {
    await using database = await makeTestDatabase(dialect)
    assert.ok('url' in database.location)
    await using store = await openTestStore({ database, gatewayId: 'watching' })
    const given = {
      databaseUrl: database.location.url,
      appKey: TEST_APP_KEY.reveal(),
      milliseconds: PIECE_MILLISECONDS,
    }
    await addAll(store)
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleet-killed-'))
    const { path: caDirectory } = folder
    // Gateways of one fleet have one root.
    await ensureRoot({ directory: caDirectory, clock: systemClock, name: 'Fleet root' })
    await using one = new Mortal(given, caDirectory)
    await using two = new Mortal(given, caDirectory)
    await Promise.all([one.start(), two.start()])
    const end = systemClock.ticks() + KILL_FOR_MILLISECONDS
    for (let turn = 0; (await left(store)) > 0; turn += 1) {
      await systemClock.sleep(KILL_EVERY_MILLISECONDS)
      if (systemClock.ticks() < end) await (turn % 2 === 0 ? one : two).kill()
    }
    assert.ok(one.kills + two.kills >= 2, 'somebody was killed while there was work')
    assert.deepEqual(await store.work.listDead(), [])
    await everyPieceOnce(store)
  },
)

async function everyPieceOnce({ db }: Store): Promise<void> {
  const all = Array.from({ length: PIECES }, (_, index) => index + 1)
  const facts = await db.selectFrom('facts').select('name').where('name', 'like', 'piece.%').execute()
  assert.equal(facts.length, PIECES)
  const activities = await db
    .selectFrom('activities')
    .select(['request_id', 'status', 'error_code', 'subject_id'])
    .where('command', '=', 'test:piece')
    .execute()
  const succeeded = activities.filter(({ status }) => status === 'succeeded')
  assert.deepEqual(
    succeeded.map(({ subject_id }) => Number(subject_id)).toSorted((a, b) => a - b),
    all,
  )
  // The attempts of one piece share its request id, and each but the last was ended by a kill.
  assert.equal(new Set(activities.map(({ request_id }) => request_id)).size, PIECES)
  const others = activities.filter(({ status }) => status !== 'succeeded')
  assert.ok(others.length > 0, 'work was in flight when its gateway was killed')
  assert.deepEqual(
    new Set(others.map(({ status, error_code }) => `${status} ${error_code}`)),
    new Set(['failed activity.interrupted']),
  )
}
