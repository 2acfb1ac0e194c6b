import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { startGateway } from '@fleet/gateway'
import { systemClock, systemIds } from '@fleet/kernel'
import { openStore, readOrMakeAppKey } from '@fleet/store'
import { addGatewayNode, TEST_GATEWAY_ID } from '@fleet/testing'

const MAIN = new URL('../../apps/gateway/src/main.ts', import.meta.url).pathname

/** Starts the gateway as a process that is expected to end by itself. */
async function refusedStart(
  settings: Readonly<Record<string, string>>,
): Promise<{ code: number; error: string }> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...settings,
    },
  })
  let error = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  await once(child, 'close')
  return { code: child.exitCode ?? -1, error: error.trim() }
}

async function usedHome(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-start-'))
  const listen = [{ address: '127.0.0.1', port: 0 }]
  const gateway = await startGateway({ home, listen, names: [], name: 'g', version: 't', log: 'silent' })
  await gateway.stop()
  return home
}

/** A port of loopback that somebody else has. */
async function takenPort(context: TestContext): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  context.after(() => void taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  assert.ok(typeof address === 'object' && address)
  return address.port
}

/** Starts on this home, each of which is to end with one line that gives the reason. */
const refusing =
  (home: string) =>
  async (settings: Readonly<Record<string, string>>, reason: RegExp): Promise<void> => {
    const { code, error } = await refusedStart({ FLEET_HOME: home, FLEET_LISTEN: '127.0.0.1:0', ...settings })
    assert.equal(code, 1)
    assert.match(error, reason)
    assert.equal(error.split('\n').length, 1, error)
    assert.ok(!error.includes(OTHER_KEY))
  }

const OTHER_KEY = `base64:${Buffer.alloc(32, 7).toString('base64')}`

test('a start with settings that cannot be says why in one line, without a stack and without the key [GW-066]', async (context) => {
  const home = await usedHome()
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const start = refusing(home)
  const database = (): Buffer => readFileSync(join(home, 'gateway.sqlite'))
  const before = database()
  await start({ APP_KEY: OTHER_KEY }, /application key is not the one/)
  assert.deepEqual(database(), before)
  await start({ APP_KEY: 'nonsense' }, /APP_KEY must be/)
  await start(
    { FLEET_DATABASE_URL: 'postgres://u:secret@localhost:1/x' },
    /FLEET_DATABASE_URL: .*ECONNREFUSED/,
  )
  const port = await takenPort(context)
  await start({ FLEET_LISTEN: `127.0.0.1:${port}` }, /cannot listen on 127\.0\.0\.1 port \d+: .*EADDRINUSE/)
})

test('a start on a home whose files cannot be used says why in one line, without a stack [GW-066]', async (context) => {
  const home = await usedHome()
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const start = refusing(home)
  chmodSync(join(home, 'app.key'), 0o644)
  await start({}, /app\.key has mode 0644/)
  chmodSync(join(home, 'app.key'), 0o600)
  writeFileSync(join(home, 'gateway.sqlite'), 'no database at all')
  await start({}, /gateway\.sqlite: file is not a database/)
  rmSync(join(home, 'app.key'))
  await start({}, /app\.key is missing/)
})

test('a gateway whose root certificate or its key is lost does not start and creates no other one', async (context) => {
  const home = await usedHome()
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const options = { home, listen: [{ address: '127.0.0.1', port: 0 }], names: [], name: 'g', version: 't' }
  for (const file of ['root.crt', 'root.key']) {
    const path = join(home, 'ca', file)
    const text = readFileSync(path)
    rmSync(path)
    const { code, error } = await refusedStart({ FLEET_HOME: home, FLEET_LISTEN: '127.0.0.1:0' })
    assert.deepEqual(
      [code, error, existsSync(path)],
      [
        1,
        `the gateway cannot start: ${path} cannot be read: put ca/root.crt and ca/root.key of a backup of this gateway into ${home}/ca`,
        false,
      ],
    )
    writeFileSync(path, text, { mode: 0o600 })
    // The refused start holds neither the home nor its records.
    await (await startGateway({ ...options, log: 'silent' })).stop()
  }
})

test('a gateway whose Nodes admit a key that is lost does not start with another one', async (context) => {
  const home = await usedHome()
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const options = { home, listen: [{ address: '127.0.0.1', port: 0 }], names: [], name: 'g', version: 't' }
  const path = join(home, 'ssh', 'id_ed25519')
  const text = readFileSync(path)
  rmSync(path)
  await (await startGateway({ ...options, log: 'silent' })).stop()
  // Nobody admits a key before there is a Node.
  assert.notDeepEqual(readFileSync(path), text)
  {
    const file = join(home, 'gateway.sqlite')
    const key = readOrMakeAppKey({ file: join(home, 'app.key'), mayMake: false })
    await using store = await openStore({
      file,
      key,
      clock: systemClock,
      ids: systemIds,
      gatewayId: TEST_GATEWAY_ID,
    })
    await addGatewayNode(store)
  }
  rmSync(path)
  const { code, error } = await refusedStart({ FLEET_HOME: home, FLEET_LISTEN: '127.0.0.1:0' })
  assert.equal(code, 1)
  assert.match(
    error,
    /^the gateway cannot start: \S+\/ssh\/id_ed25519 is missing, .* of a backup of this gateway there\. /,
  )
  assert.equal(existsSync(path), false)
  writeFileSync(path, text, { mode: 0o600 })
  // The refused start holds neither the home nor its records.
  await (await startGateway({ ...options, log: 'silent' })).stop()
})

test('a second start on the home of a running gateway is refused before it touches what that one holds', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-start-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const options = { home, listen: [{ address: '127.0.0.1', port: 0 }], names: [], name: 'g', version: 't' }
  const gateway = await startGateway({ ...options, log: 'silent' })
  const id = readFileSync(join(home, 'gateway.id'), 'utf8').trim()
  const locks = (): unknown => {
    using database = new DatabaseSync(join(home, 'gateway.sqlite'))
    return database.prepare('select name, gateway from locks').all()
  }
  {
    using database = new DatabaseSync(join(home, 'gateway.sqlite'))
    const values = "'held', 'token', ?, 'operation', 'request', '2026-01-01', '9999-01-01'"
    database.prepare(`insert into locks values (${values})`).run(id)
  }
  const before = locks()
  const { code, error } = await refusedStart({
    FLEET_HOME: home,
    FLEET_LISTEN: gateway.urls[0]?.replace('https://', '') ?? '',
  })
  assert.deepEqual(
    [code, error],
    [1, `the gateway cannot start: another gateway process is running on ${home}`],
  )
  await assert.rejects(startGateway({ ...options, log: 'silent' }), { name: 'HomeInUse' })
  assert.deepEqual(locks(), before)
  await gateway.stop()
  // One that ended lets the next one in, also one that could not listen.
  const port = await takenPort(context)
  const listen = [{ address: '127.0.0.1', port }]
  await assert.rejects(startGateway({ ...options, listen, log: 'silent' }), /cannot listen/)
  await (await startGateway({ ...options, log: 'silent' })).stop()
})
