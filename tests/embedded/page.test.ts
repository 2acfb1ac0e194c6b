import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@fleet/testing/free-port'
import { dataOf, errorOf, rowsOf } from './ask.ts'
import { type EmbeddedFleet, startEmbedded, temporaryHome } from './harness.ts'

const NO_CADDY = spawnSync('caddy', ['version']).status !== 0 && 'caddy is not installed'

const portOf = (home: string): number =>
  (JSON.parse(readFileSync(join(home, 'ports.json'), 'utf8')) as { readonly web: number }).web // The port under test.

/** Status and text, over a certificate of the fleet alone, or the code of why there is no answer. */
const visit = ({ announced, home }: EmbeddedFleet, path: string): Promise<string> =>
  new Promise((resolve) => {
    const ca = readFileSync(announced.ca_file, 'utf8')
    const given = {
      host: '127.0.0.1',
      port: portOf(home),
      servername: 'shop.localhost',
      ca,
      path,
      agent: false,
    }
    const headers = { host: `shop.localhost:${given.port}` }
    const sent = request({ ...given, headers }).on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code ?? error.message),
    )
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(`${response.statusCode} ${text}`))
    })
    sent.end()
  })

test(
  'the sample is a site in a browser: its page over a certificate of the fleet and nothing else of the checkout, also after the next start, until its Route is removed',
  { skip: NO_CADDY },
  async () => {
    using home = temporaryHome()
    const port = await freePort()
    await using first = await startEmbedded({ home: home.path, port, sample: true })
    const address = `https://shop.localhost:${portOf(home.path)}/`
    assert.ok(first.output().includes(`✓ Page        ${address} is active, served by Caddy on node-1`))
    assert.match(await visit(first, '/'), /^200 [\s\S]*<h1>Shop<\/h1>/)
    const source = join(home.path, 'nodes/node-1/apps/shop/default/public')
    writeFileSync(join(source, '.env'), 'SECRET=1')
    for (const path of ['/.env', '/../.env', '/%2e%2e/.env', '/server.js', '/../server.js'])
      assert.doesNotMatch(await visit(first, path), /^200|SECRET/, path)
    const missing = await first.ask('POST', '/api/v1/routes', {
      body: { instance_id: 1, domain: 'missing.localhost', web_root: 'dist' },
    })
    assert.deepEqual([missing.status, errorOf(missing)['code']], [502, 'app-dev.source_access_failed'])
    const file = readFileSync(join(home.path, 'web/node-1/Caddyfile'), 'utf8')
    assert.match(file, /^# Managed by Fleet[\s\S]*# app-dev route-1\nhttps:\/\/shop\.localhost:\d+ \{/)
    await first.end('SIGTERM')
    assert.equal(await visit(first, '/'), 'ECONNREFUSED')

    await using second = await startEmbedded({ home: home.path, port, sample: true })
    assert.match(await visit(second, '/'), /^200 /)
    const [route] = rowsOf(await second.ask('GET', '/api/v1/routes'))
    assert.equal(
      dataOf(await second.ask('GET', `/api/v1/routes/${String(route?.['id'])}`))['status'],
      'active',
    )
    assert.equal((await second.ask('DELETE', `/api/v1/routes/${String(route?.['id'])}`)).status, 200)
    assert.doesNotMatch(await visit(second, '/'), /^200/)
  },
)

test(
  'a fleet that is killed takes its web server along, and the next start serves again',
  { skip: NO_CADDY },
  async () => {
    using home = temporaryHome()
    const port = await freePort()
    await using killed = await startEmbedded({ home: home.path, port, sample: true })
    assert.match(await visit(killed, '/'), /^200 /)
    await killed.end('SIGKILL')
    for (let tries = 0; tries < 100 && (await visit(killed, '/')) !== 'ECONNREFUSED'; tries += 1)
      await pause(50)
    assert.equal(await visit(killed, '/'), 'ECONNREFUSED')
    await using next = await startEmbedded({ home: home.path, port, sample: true })
    assert.match(await visit(next, '/'), /^200 /)
  },
)

test('without Caddy the sample says so in one line, and a Route is refused as before', async () => {
  using home = temporaryHome()
  // Whatever else the fleet starts, and no Caddy.
  const programs = join(home.path, 'programs')
  mkdirSync(programs)
  for (const folder of (process.env['PATH'] ?? '').split(':').filter(existsSync))
    for (const name of readdirSync(folder))
      if (name !== 'caddy' && !existsSync(join(programs, name)))
        symlinkSync(join(folder, name), join(programs, name))
  await using fleet = await startEmbedded({ home: home.path, sample: true, env: { PATH: programs } })
  const said = fleet
    .output()
    .split('\n')
    .filter((line) => line.includes('Caddy'))
  assert.deepEqual(said, [
    '  Page: none, because Caddy is not installed. With it, the sample would also be a site in a browser.',
  ])
  assert.doesNotMatch(fleet.output(), /✗/)
  assert.equal((await fleet.ask('GET', '/api/v1/gateway/status')).status, 200)
  const input = {
    domain: 'mail.localhost',
    node_id: fleet.nodeId('node-1'),
    upstream: 'http://127.0.0.1:8025',
  }
  const refused = await fleet.ask('POST', '/api/v1/routes', { body: input })
  assert.match(refused.text, /"node\.capability_missing"/)
})
