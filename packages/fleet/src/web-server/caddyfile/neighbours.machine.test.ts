import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { freePort } from '@fleet/testing/free-port'
import { newFolder, NO_CADDY, selfSigned, startCaddy } from '#/web-server/caddy.test.ts'
import type { PoolTarget, Site } from '#/web-server/site.ts'

const [ROUTER, NODE] = ['127.0.0.1', '127.44.1.7']
const [BROKEN, WELL] = ['broken.example', 'well.example']

/** A Router with two Routes to one Node, by its address and by a socket, which has the certificate of one of them alone. */
async function startRouter(kind: PoolTarget['kind']) {
  const folder = newFolder()
  const [broken, well] = [selfSigned(folder, BROKEN), selfSigned(folder, WELL)]
  const port = await freePort()
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site', 'index.html'), 'the site')
  const path = join(folder, 'site.sock')
  const target: PoolTarget = kind === 'unix' ? { kind, path } : { kind, address: NODE, port }
  const listener: Site['listener'] = kind === 'unix' ? { kind, path } : { kind, addresses: [NODE], port }
  const route = (domain: string, file: string, id: number): Site => ({
    source: 'router',
    scope: `route-${id}-router`,
    domain,
    listener: { kind: 'tcp', addresses: [ROUTER], port },
    tls: { kind: 'leaf', file },
    handler: { kind: 'pool', targets: [target] },
  })
  const caddy = await startCaddy({
    folder,
    domain: WELL,
    port,
    root: well.root,
    sites: [
      route(BROKEN, broken.leaf, 3),
      route(WELL, well.leaf, 4),
      {
        source: 'app-prod',
        scope: 'app-instance-12',
        domain: WELL,
        listener,
        tls: { kind: 'leaf', file: well.leaf },
        handler: { kind: 'files', root: join(folder, 'site'), cachesBuilds: false },
      },
    ],
    replaced: { 'read_header 1m': 'read_header 1s' },
  })
  return {
    port,
    visit: (domain: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const to = {
          host: ROUTER,
          port,
          servername: domain,
          headers: { host: domain },
          agent: false,
        } as const
        request({ ...to, rejectUnauthorized: false })
          .on('error', reject)
          .on('response', (response) => resolve(response.resume().statusCode))
          .end()
      }),
    [Symbol.asyncDispose]: () => caddy[Symbol.asyncDispose](),
  }
}

for (const kind of ['tcp', 'unix'] as const)
  test(
    `a Route that fails on a Node takes no other Route of that Node out of its pool (${kind}) [RTE-127]`,
    { skip: NO_CADDY },
    async () => {
      await using router = await startRouter(kind)
      assert.equal(await router.visit(WELL), 200)
      assert.equal(await router.visit(BROKEN), 503)
      assert.equal(await router.visit(WELL), 200)
    },
  )

test(
  'a visitor who never ends his request, or does not begin one, is let go of',
  { skip: NO_CADDY },
  async () => {
    await using router = await startRouter('tcp')
    const to = { host: ROUTER, port: router.port } as const
    const encrypted = () => connectTls({ ...to, servername: WELL, rejectUnauthorized: false })
    for (const [open, said] of [
      [() => connect(to), ''],
      [encrypted, ''],
      [encrypted, `GET / HTTP/1.1\r\nHost: ${WELL}\r\nX-Slow`],
    ] as const) {
      const socket = open()
      socket.on('error', () => undefined).resume()
      socket.write(said)
      const closed = once(socket, 'close').then(() => 'let go')
      assert.equal(await Promise.race([closed, pause(20_000, 'kept', { ref: false })]), 'let go')
      socket.destroy()
    }
  },
)
