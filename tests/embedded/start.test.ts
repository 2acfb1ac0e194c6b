import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@fleet/testing/free-port'
import { dataOf, rowsOf } from './ask.ts'
import { type EmbeddedFleet, NotReady, startEmbedded, temporaryHome } from './harness.ts'
import { sshPortOf } from './residue.ts'

const nodesOf = async (fleet: EmbeddedFleet): Promise<unknown> =>
  rowsOf(await fleet.ask('GET', '/api/v1/nodes'))

const refusedStart = async (options: Parameters<typeof startEmbedded>[0]): Promise<NotReady> => {
  try {
    await using fleet = await startEmbedded(options)
    return assert.fail(`the fleet started on port ${fleet.port}`)
  } catch (error) {
    if (error instanceof NotReady) return error
    throw error
  }
}

test('an empty fleet ends its output with the ready line and announces itself to its owner alone', async () => {
  await using fleet = await startEmbedded({ env: { FLEET_EMBEDDED_NODES: '3' } })
  assert.match(fleet.output(), new RegExp(`\nready https://127\\.0\\.0\\.1:${fleet.port}\n$`))
  const { pid, nodes, websocket, ...rest } = fleet.announced
  assert.match(websocket.url, /^wss:\/\/127\.0\.0\.1:\d+$/)
  const above = Number(new URL(websocket.url).port) - fleet.port
  assert.ok(above >= 347 && above < 547, `it is ${above} above the API`)
  const realtime = dataOf(await fleet.ask('GET', '/api/v1/realtime'))
  assert.deepEqual(realtime, { ...websocket, channel: 'fleet' })
  assert.deepEqual(rest, {
    base_url: `https://127.0.0.1:${fleet.port}`,
    ca_file: join(fleet.home, 'ca', 'root.crt'),
  })
  assert.deepEqual(
    nodes.map(({ name, address }) => [name, address]),
    [
      ['node-1', '127.44.0.11'],
      ['node-2', '127.44.0.12'],
      ['node-3', '127.44.0.13'],
    ],
  )
  assert.ok(pid > 0 && pid !== process.pid)
  assert.equal(statSync(join(fleet.home, 'embedded.json')).mode & 0o777, 0o600)
  assert.equal(statSync(fleet.home).mode & 0o777, 0o700)
  assert.deepEqual(rowsOf(await fleet.ask('GET', '/api/v1/projects')), [])
  assert.equal(existsSync(join(fleet.home, 'git', 'shop.git')), false)
})

test('SIGTERM and SIGINT stop it with status 0, and a start on the same home resumes with all records', async () => {
  using home = temporaryHome()
  const port = await freePort()
  let before: unknown
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    await using fleet = await startEmbedded({ home: home.path, port })
    const nodes = await nodesOf(fleet)
    assert.deepEqual(nodes, before ?? nodes)
    before = nodes
    assert.equal(await fleet.end(signal), 0)
    assert.equal(existsSync(join(home.path, 'embedded.json')), false)
  }
})

test('one press of Ctrl-C that arrives twice, from the terminal and from npm, is one clean stop', async () => {
  await using fleet = await startEmbedded()
  process.kill(fleet.announced.pid, 'SIGINT')
  assert.equal(await fleet.end('SIGINT'), 0)
  assert.match(fleet.output(), /\nStopping: .*\n$/)
})

test('a fleet whose output nobody reads any more continues', async () => {
  await using fleet = await startEmbedded()
  fleet.closeOutput()
  // It prints a line when it stops, which is its first one that has no reader.
  assert.equal(await fleet.end('SIGTERM'), 0)
  assert.equal(existsSync(join(fleet.home, 'embedded.json')), false)
})

test('after SIGKILL the next start on the same home and port resumes', async () => {
  using home = temporaryHome()
  const port = await freePort()
  await using killed = await startEmbedded({ home: home.path, port })
  const before = await nodesOf(killed)
  assert.equal(await killed.end('SIGKILL'), 'SIGKILL')
  assert.ok(existsSync(join(home.path, 'embedded.json')), 'the killed fleet leaves its announcement')
  await using fleet = await startEmbedded({ home: home.path, port })
  assert.deepEqual(await nodesOf(fleet), before)
  assert.notEqual(fleet.announced.pid, killed.announced.pid)
})

test('a second process on the same home is refused with the running one named, and disturbs nothing', async () => {
  using home = temporaryHome()
  await using fleet = await startEmbedded({ home: home.path })
  const refusal = await refusedStart({ home: home.path })
  assert.equal(refusal.status, 1)
  assert.match(
    refusal.stderr,
    new RegExp(`process ${fleet.announced.pid}, https://127\\.0\\.0\\.1:${fleet.port}`),
  )
  assert.equal((await fleet.ask('GET', '/api/v1/gateway/status')).status, 200)
  assert.ok(existsSync(join(home.path, 'embedded.json')))
})

test('a second fleet with a home and a port of its own runs beside the first, on the same addresses', async () => {
  await using first = await startEmbedded()
  await using second = await startEmbedded()
  assert.deepEqual(
    first.announced.nodes.map(({ address }) => address),
    second.announced.nodes.map(({ address }) => address),
  )
  const keys = (home: string): string => readFileSync(join(home, 'host-keys', 'node-1'), 'utf8')
  assert.notEqual(keys(first.home), keys(second.home))
})

test('a taken port is named together with the way out', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const refusal = await refusedStart({ port })
  taken.close()
  assert.equal(refusal.status, 1)
  assert.match(refusal.stderr, new RegExp(`^Another program is using port ${port} on 127.0.0.1`))
  assert.match(refusal.stderr, new RegExp(`FLEET_EMBEDDED_PORT=${port + 1} npm start`))
})

test('ports of the Nodes and of the sample repository that are taken at a later start cost no more than the repository', async () => {
  using home = temporaryHome()
  const port = await freePort()
  await using first = await startEmbedded({ home: home.path, port, sample: true })
  await first.end('SIGTERM')
  const takeOver = async (at: number, address: string): Promise<AsyncDisposable> => {
    const server = createServer().listen(at, address)
    await once(server, 'listening')
    return { [Symbol.asyncDispose]: async () => void (await new Promise((done) => server.close(done))) }
  }
  await using _git = await takeOver(port + 37, '127.0.0.1')
  await using _ssh = await takeOver(sshPortOf(home.path, 'node-1'), '127.44.0.11')
  await using second = await startEmbedded({ home: home.path, port, sample: true })
  assert.match(second.output(), new RegExp(`^✗ Git .*is using port ${port + 37}`, 'm'))
  const sync = await second.ask('POST', '/api/v1/instances/1/environment/sync', { body: {} })
  assert.equal(dataOf(sync)['changed'], false)
})

test('a database that does not answer is named, without its password and without a stack', async () => {
  const port = await freePort()
  const refusal = await refusedStart({
    env: { FLEET_DATABASE_URL: `postgres://u:canary@127.0.0.1:${port}/y` },
  })
  assert.equal(refusal.status, 1)
  assert.match(refusal.stderr, new RegExp(`FLEET_DATABASE_URL: .*ECONNREFUSED 127.0.0.1:${port}`))
  assert.doesNotMatch(refusal.stderr, /^\s+at |canary/m)
})

test('a wrong application key is refused in words, and the right one starts again', async () => {
  using home = temporaryHome()
  await using fleet = await startEmbedded({ home: home.path })
  await fleet.end('SIGTERM')
  const other = `base64:${Buffer.alloc(32, 7).toString('base64')}`
  const refusal = await refusedStart({ home: home.path, env: { APP_KEY: other } })
  assert.equal(refusal.status, 1)
  assert.doesNotMatch(refusal.stderr, /^\s+at /m)
  assert.ok(!refusal.stderr.includes(other))
  await using again = await startEmbedded({ home: home.path })
  assert.equal(again.announced.nodes.length, 2)
})

test('without git, the error says what to install', async () => {
  const refusal = await refusedStart({ env: { PATH: '/nonexistent' } })
  assert.equal(refusal.status, 1)
  assert.match(refusal.stderr, /apt-get install git/)
})

test('settings that make no sense end it with status 2 before anything is made', async () => {
  using home = temporaryHome()
  const refusal = await refusedStart({ home: home.path, env: { FLEET_EMBEDDED_NODES: '201' } })
  assert.equal(refusal.status, 2)
  assert.equal(refusal.stderr, 'FLEET_EMBEDDED_NODES: must be at most 200\n')
  assert.equal(existsSync(join(home.path, 'app.key')), false)
})
