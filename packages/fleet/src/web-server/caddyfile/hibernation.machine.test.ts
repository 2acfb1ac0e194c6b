import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import { ACCESS_LOGS, AWAKE_MARKERS, type Site } from '#/web-server/site.ts'

function versionHere() {
  try {
    return caddyVersionOf(execFileSync('caddy', ['version'], { encoding: 'utf8' }))
  } catch {
    return undefined
  }
}
const version = versionHere()

const siteOn = (port: number, root: string, leaf: string): Site => ({
  source: 'app-dev',
  scope: 'app-instance-12',
  domain: 'shop.test',
  listener: { kind: 'tcp', addresses: ['127.0.0.1'], port },
  tls: { kind: 'leaf', file: leaf },
  hibernation: { instanceId: 12, gateway: 'gateway.fleet' },
  handler: { kind: 'files', root, cachesBuilds: false },
})

async function freePort(): Promise<number> {
  const server = createSocket().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A listening TCP server has one.
  server.close()
  await once(server, 'close')
  return port
}

/** Key and certificate for both names, which is its own authority. */
function selfSigned(folder: string): { readonly leaf: string; readonly root: string } {
  const [key, root, leaf] = ['key.pem', 'root.crt', 'leaf.pem'].map((name) => join(folder, name))
  if (key === undefined || root === undefined || leaf === undefined) throw new Error('three names')
  const names = 'subjectAltName=DNS:gateway.fleet,DNS:shop.test'
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  execFileSync('openssl', [...made, '-subj', '/CN=test', '-addext', names, '-keyout', key, '-out', root], {
    stdio: 'ignore',
  })
  writeFileSync(leaf, readFileSync(key, 'utf8') + readFileSync(root, 'utf8'))
  return { leaf, root }
}

/** The site in a real Caddy, before a gateway that answers as told. */
async function startSite() {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-caddy-'))
  const { leaf, root } = selfSigned(folder)
  for (const name of ['site', 'awake']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'site', 'index.html'), 'the site')
  const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
  let status = 401
  const pem = readFileSync(leaf)
  const gateway = createServer({ key: pem, cert: pem }, ({ url, headers }, response) => {
    asked.push({ url, headers })
    response
      .writeHead(status, { 'x-fleet-runtime-activation-state': 'pending' })
      .end(status === 401 ? 'waking' : undefined)
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const { port: gatewayPort } = gateway.address() as AddressInfo // A listening TCP server has one.
  const port = await freePort()
  const text = renderCaddyfile([siteOn(port, join(folder, 'site'), leaf)], {
    features: featuresOf(version ?? { major: 2, minor: 6 }),
    root,
  })
    .replace('{\n', '{\n\tadmin off\n')
    .replaceAll(AWAKE_MARKERS, join(folder, 'awake'))
    .replaceAll(ACCESS_LOGS, join(folder, 'logs'))
    .replaceAll('https://gateway.fleet', `https://127.0.0.1:${gatewayPort}`)
  writeFileSync(join(folder, 'Caddyfile'), text)
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder },
  })
  const visit = (headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<readonly [status: number | undefined, text: string, state: unknown]>((resolve, reject) => {
      request(
        {
          host: '127.0.0.1',
          port,
          servername: 'shop.test',
          ca: pem,
          path: '/',
          method,
          headers: { host: `shop.test:${port}`, ...headers },
          agent: false,
        },
        (response) => {
          let body = ''
          response.setEncoding('utf8').on('data', (chunk) => (body += chunk))
          response.on('end', () =>
            resolve([response.statusCode, body, response.headers['x-fleet-runtime-activation-state']]),
          )
        },
      )
        .on('error', reject)
        .end()
    })
  for (let tries = 0; tries < 200; tries += 1)
    if (await visit({ 'x-fleet-probe': '1' }).catch(() => undefined)) break
    else await pause(50)
  return {
    visit,
    asked,
    gateway,
    answer: (next: number) => void (status = next),
    log: join(folder, 'logs', '12.log'),
    awake: join(folder, 'awake', '12.awake'),
    async [Symbol.asyncDispose]() {
      caddy.kill('SIGKILL')
      gateway.closeAllConnections()
      gateway.close()
      await once(caddy, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test(
  'a visitor of a sleeping Instance sees what the gateway answers until that is a success; a probe neither asks nor counts as a visit [HIB-017]',
  { skip: version === undefined && 'caddy is not installed' },
  async () => {
    await using site = await startSite()
    const isVisited = (): boolean => existsSync(site.log) && statSync(site.log).size > 0
    assert.deepEqual(await site.visit({ 'x-fleet-probe': '1' }), [200, 'the site', undefined])
    assert.deepEqual([site.asked.length, isVisited()], [0, false])

    const own = {
      cookie: 'session=1',
      authorization: 'Bearer x',
      origin: 'https://shop.test',
      referer: 'https://a.test',
    }
    assert.deepEqual(await site.visit(own, 'POST'), [401, 'waking', 'pending'])
    const [first] = site.asked
    assert.equal(first?.url, '/api/v1/runtime-activations/app-instance/12')
    assert.equal(first?.headers.host, 'gateway.fleet')
    for (const name of Object.keys(own)) assert.equal(first?.headers[name], undefined, name)
    assert.equal(isVisited(), true)
    assert.doesNotMatch(readFileSync(site.log, 'utf8'), /session=1|shop\.test/)

    site.answer(204)
    assert.deepEqual(await site.visit(), [200, 'the site', undefined])
    writeFileSync(site.awake, '')
    const { length } = site.asked
    site.answer(503)
    assert.deepEqual(await site.visit(), [200, 'the site', undefined])
    assert.equal(site.asked.length, length)

    rmSync(site.awake)
    site.gateway.closeAllConnections()
    site.gateway.close()
    const [status, text] = await site.visit()
    assert.equal(status, 503)
    assert.match(text, /the gateway of the fleet, which would wake it, does not answer/)
  },
)
