import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock, systemIds } from '@fleet/kernel'
import { eventually } from '@fleet/testing'
import { startHttpsGateway } from '@fleet/testing/https-gateway'
import { runAgent } from './main.ts'

const SECRET = 'c'.repeat(64)

async function site(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-agent-'))
  const server = await startHttpsGateway(systemClock, () => ({
    body: { data: { url: null, address: null, key: null, channel: 'c', log_channel: 'l', member: 'm' } },
  }))
  const [home, runtime] = [join(folder, 'etc'), join(folder, 'run')]
  mkdirSync(home)
  writeFileSync(join(home, 'secret'), SECRET)
  writeFileSync(join(home, 'ca.pem'), server.root().certificate)
  writeFileSync(join(home, 'config.toml'), `gateway_url = "${server.url}"\ngateway_address = "127.0.0.1"\n`)
  const stop = new AbortController()
  context.after(async () => {
    stop.abort()
    await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  const said: string[] = []
  const run = (...words: string[]): Promise<number> =>
    runAgent(['--home', home, '--runtime', runtime, ...words], {
      clock: systemClock,
      ids: systemIds,
      say: (line) => said.push(line),
      signal: stop.signal,
    })
  return { home, runtime, server, said, run, stop: () => stop.abort() }
}

test('an agent says that it is ready, asks its gateway and ends well on SIGTERM', async (context) => {
  const { run, runtime, server, stop } = await site(context)
  const running = run('--configuration', 'd'.repeat(64))
  await eventually(() => server.asked.length === 1)
  assert.equal(readFileSync(join(runtime, 'ready'), 'utf8'), `${process.pid} ${'d'.repeat(64)}\n`)
  stop()
  assert.equal(await running, 0)
})

test('a second agent of a machine ends at once; the first continues, and its end makes room [AGT-020]', async (context) => {
  const first = await site(context)
  const running = first.run()
  await eventually(() => first.server.asked.length === 1)
  assert.equal(await first.run(), 75)
  assert.ok(first.said.includes('fleet: another agent is running on this machine'))
  first.stop()
  assert.equal(await running, 0)
  assert.equal(await first.run(), 0)
})

test('an agent without a sound secret ends at once and asks nobody [AGT-017]', async (context) => {
  const { run, home, server, said } = await site(context)
  writeFileSync(join(home, 'secret'), '')
  assert.equal(await run(), 78)
  rmSync(join(home, 'secret'))
  assert.equal(await run(), 78)
  assert.equal(server.asked.length, 0)
  assert.deepEqual(said, [
    'fleet: the secret of the agent is malformed',
    'fleet: the file secret of the agent cannot be read',
  ])
})

test('what is no argument of an agent ends it', async (context) => {
  const { run } = await site(context)
  assert.equal(await run('--other'), 64)
})
