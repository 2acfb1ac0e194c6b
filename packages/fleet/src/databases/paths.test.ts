import assert from 'node:assert/strict'
import { type Duplex, PassThrough } from 'node:stream'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { connectBy, type Path } from '#/databases/paths.ts'
import { register, startInspectionWorld } from '#/databases/inspection-world.test.ts'

const ADDRESS = { host: 'db', port: 5432 }
const { signal } = new AbortController()

/** A path that a test opens or breaks. */
function path(): {
  readonly path: Path
  readonly used: () => number
  open(): Duplex
  fail(text: string): void
} {
  const ways: PromiseWithResolvers<Duplex>[] = []
  return {
    path: () => {
      const way = Promise.withResolvers<Duplex>()
      ways.push(way)
      return way.promise
    },
    used: () => ways.length,
    open: () => {
      const stream = new PassThrough()
      for (const way of ways) way.resolve(stream)
      return stream
    },
    fail: (text) => {
      for (const way of ways) way.reject(new Error(text))
    },
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('an answer of the own network is used, and the Node is not asked', async () => {
  const [direct, forwarded, clock] = [path(), path(), new FakeClock()]
  const stream = connectBy(clock, { direct: direct.path, forwarded: forwarded.path }, ADDRESS, signal)
  clock.advance(299)
  await turn()
  const opened = direct.open()
  assert.equal(await stream, opened)
  clock.advance(10_000)
  await turn()
  assert.equal(forwarded.used(), 0)
})

test('a refusal of the own network goes through the Node at once, silence after a moment', async () => {
  for (const silent of [false, true]) {
    const [direct, forwarded, clock] = [path(), path(), new FakeClock()]
    const stream = connectBy(clock, { direct: direct.path, forwarded: forwarded.path }, ADDRESS, signal)
    if (silent) clock.advance(300)
    else direct.fail('refused')
    await turn()
    assert.equal(forwarded.used(), 1)
    const opened = forwarded.open()
    assert.equal(await stream, opened)
    const late = silent ? direct.open() : undefined
    await turn()
    assert.equal(late?.destroyed ?? true, true)
    assert.equal(opened.destroyed, false)
  }
})

test('where both fail, the failure of the Node is the answer', async () => {
  const [direct, forwarded, clock] = [path(), path(), new FakeClock()]
  const stream = connectBy(clock, { direct: direct.path, forwarded: forwarded.path }, ADDRESS, signal)
  direct.fail('own')
  await turn()
  forwarded.fail('of the Node')
  await assert.rejects(stream, { message: 'of the Node' })
})

test('an address of the machine itself is that of the Node of the connection, and of the gateway where it has none or is that Node', async () => {
  await using world = await startInspectionWorld()
  world.access.answer('select 1', { columns: [], rows: [], row_count: 0, truncated: false })
  const openOf = async (node_id: number | undefined, driver: 'pgsql' | 'mysql'): Promise<void> => {
    const slug = await register(world, driver, { host: '127.0.0.1', ...(node_id ? { node_id } : {}) })
    const call = world.call()
    await world.databases.handlers['database:query']({ call, input: { slug, sql: 'select 1' } })
    await world.databases.handlers['database:destroy']({ call, input: { slug } })
    const target = world.access.asked.at(-1)?.target
    assert.ok(target && target.engine !== 'sqlite')
    await target.open(signal).catch(() => undefined)
  }
  await openOf(undefined, 'pgsql')
  await openOf(world.gateway.id, 'mysql')
  assert.deepEqual(world.dialed, ['127.0.0.1:5432', '127.0.0.1:3306'])
  await openOf(world.node.id, 'pgsql')
  assert.equal(world.dialed.length, 2)
  assert.deepEqual(world.pool.asked, [`forward fleet@${world.node.wireguard_ip}:22`])
})
