import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@fleet/testing/free-port'
import { newFolder, NO_CADDY, selfSigned, startCaddy } from '#/web-server/caddy.test.ts'
import { ACCESS_LOGS, AWAKE_MARKERS, type Site } from '#/web-server/site.ts'

/** The site in a real Caddy, before a gateway that answers with a status. */
async function startSite() {
  const folder = newFolder()
  const { leaf, root } = selfSigned(folder, 'gateway.fleet', 'shop.test')
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
  const address = gateway.address() as AddressInfo // A listening TCP server has one.
  const port = await freePort()
  const site: Site = {
    source: 'app-dev',
    scope: 'app-instance-12',
    domain: 'shop.test',
    listener: { kind: 'tcp', addresses: ['127.0.0.1'], port },
    tls: { kind: 'leaf', file: leaf },
    hibernation: { instanceId: 12, gateway: 'gateway.fleet' },
    handler: { kind: 'files', root: join(folder, 'site'), cachesBuilds: false },
  }
  const caddy = await startCaddy({
    folder,
    domain: 'shop.test',
    port,
    sites: [site],
    root,
    replaced: {
      [AWAKE_MARKERS]: join(folder, 'awake'),
      [ACCESS_LOGS]: join(folder, 'logs'),
      'https://gateway.fleet': `https://127.0.0.1:${address.port}`,
    },
  })
  return {
    visit: async (headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
      const seen = await caddy.visit({ headers, method })
      return [seen.status, seen.text, seen.headers['x-fleet-runtime-activation-state']]
    },
    asked,
    gateway,
    answer: (next: number) => void (status = next),
    log: join(folder, 'logs', '12.log'),
    awake: join(folder, 'awake', '12.awake'),
    async [Symbol.asyncDispose]() {
      gateway.closeAllConnections()
      gateway.close()
      await caddy[Symbol.asyncDispose]()
    },
  }
}

test(
  'a visitor of a sleeping Instance sees what the gateway answers until that is a success; a probe neither asks nor counts as a visit [HIB-017]',
  { skip: NO_CADDY },
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
    assert.match(String(text), /the gateway of the fleet, which would wake it, does not answer/)
  },
)
