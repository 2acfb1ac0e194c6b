import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { test, type TestContext } from 'node:test'
import { freePort } from '@fleet/testing/free-port'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf, type Root } from '@fleet/pki'
import { eventually } from '@fleet/testing'
import { runServer } from '@fleet/websocket'
import { pino } from 'pino'
import WebSocket from 'ws'

interface World {
  readonly root: Root
  readonly port: number
  readonly lines: string[]
  at(path: string): string
  /** A new leaf in the place of the one before. */
  issue(): Promise<string>
  configure(content: string): void
  run(): { readonly ended: Promise<number>; reload(): void; stop(): void }
}

async function startWorld(context: TestContext): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-websocket-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const at = (path: string): string => join(home, path)
  for (const folder of ['home', 'run']) mkdirSync(at(folder))
  const root = await ensureRoot({ directory: at('ca'), clock: systemClock, name: 'Fleet root' })
  const port = await freePort()
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) })
  const configure = (content: string): void => writeFileSync(at('home/config.json'), content)
  const app = { id: 'fleet', key: 'app-key', secret: 'app-secret' }
  configure(
    JSON.stringify({
      address: '127.0.0.1',
      port,
      certificate: at('leaf.pem'),
      origins: ['gateway.fleet'],
      app,
    }),
  )
  const names = { names: ['reverb.fleet'], addresses: ['127.0.0.1'] }
  const issue = async (): Promise<string> => {
    const { key, certificate, sha256 } = await issueLeaf(root, { clock: systemClock, ...names })
    writeFileSync(at('leaf.pem'), key.reveal() + certificate)
    return sha256
  }
  await issue()
  const run: World['run'] = () => {
    const stop = new AbortController()
    context.after(() => stop.abort())
    let reload = (): void => undefined
    const words = ['--home', at('home'), '--runtime', at('run'), '--configuration', 'digest']
    const ended = runServer(words, {
      clock: systemClock,
      log,
      signal: stop.signal,
      onReload: (given) => void (reload = given),
    })
    return { ended, reload: () => reload(), stop: () => stop.abort() }
  }
  return { root, port, lines, at, issue, configure, run }
}

const isReady = (world: World) => () => existsSync(world.at('run/ready'))

const connectTo = ({ port, root }: World, origin?: string): WebSocket =>
  new WebSocket(`wss://127.0.0.1:${port}/app/app-key?protocol=7`, [], {
    ca: root.certificate,
    ...(origin === undefined ? {} : { origin }),
  })

/** SHA-256 of what a new connection is shown. */
async function shown({ port, root }: World): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, ca: root.certificate, servername: 'reverb.fleet' })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256.replaceAll(':', '').toLowerCase()
}

test('it says with which configuration it began, shows a renewed certificate to new clients, and keeps those it has [RTX-100]', async (context) => {
  const world = await startWorld(context)
  const server = world.run()
  await eventually(isReady(world))
  assert.equal(readFileSync(world.at('run/ready'), 'utf8'), `${process.pid} digest\n`)
  const client = connectTo(world)
  await once(client, 'message')
  const renewed = await world.issue()
  assert.notEqual(await shown(world), renewed)
  server.reload()
  assert.equal(await shown(world), renewed)
  writeFileSync(world.at('leaf.pem'), 'cut off')
  server.reload()
  assert.equal(await shown(world), renewed)
  assert.match(world.lines.at(-1) ?? '', /the previous one remains in use/)
  assert.equal(client.readyState, WebSocket.OPEN)
  client.send('{"event":"pusher:ping"}')
  await once(client, 'message')
  server.stop()
  const [code] = await once(client, 'close')
  assert.equal(code, 4200)
  assert.equal(await server.ended, 0)
  assert.ok(!isReady(world)())
})

test('pages of the configured hosts may connect, those of others may not', async (context) => {
  const world = await startWorld(context)
  const server = world.run()
  await eventually(isReady(world))
  const first = connectTo(world, 'https://gateway.fleet')
  await once(first, 'message')
  first.terminate()
  const [code] = await once(connectTo(world, 'https://evil.example'), 'close')
  assert.equal(code, 4009)
  server.stop()
  await server.ended
})

test('a second server of a machine ends at once, and the first continues', async (context) => {
  const world = await startWorld(context)
  const first = world.run()
  await eventually(isReady(world))
  assert.equal(await world.run().ended, 75)
  const client = connectTo(world)
  await once(client, 'message')
  client.terminate()
  first.stop()
  assert.equal(await first.ended, 0)
})

test('what it cannot run with is said without any content of a file', async (context) => {
  const world = await startWorld(context)
  const faults: ReadonlyArray<readonly [() => void, RegExp]> = [
    [() => writeFileSync(world.at('leaf.pem'), 'not-a-secret'), /certificate of the server is malformed/],
    [() => rmSync(world.at('leaf.pem')), /certificate of the server cannot be read/],
    [() => world.configure('{"app":{"secret":"not-a-secret"}}'), /configuration of the server is malformed/],
    [() => rmSync(world.at('home/config.json')), /configuration of the server cannot be read/],
  ]
  for (const [harm, says] of faults) {
    harm()
    assert.equal(await world.run().ended, 78)
    assert.match(world.lines.at(-1) ?? '', says)
  }
  assert.doesNotMatch(world.lines.join(''), /not-a-secret|app-secret/)
})

test('an address that somebody else has is reported by its exit status', async (context) => {
  const world = await startWorld(context)
  const other = createServer().listen(world.port, '127.0.0.1')
  await once(other, 'listening')
  assert.equal(await world.run().ended, 75)
  other.close()
})
