import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { freePort } from '@fleet/testing/free-port'
import { FEATURES, newFolder, NO_CADDY, selfSigned, startCaddy } from '#/web-server/caddy.test.ts'
import type { Site } from '#/web-server/site.ts'

const [MANAGER] = globSync('/usr/sbin/php-fpm*')
const skip = NO_CADDY || (MANAGER === undefined && 'php-fpm is not installed')
const DOMAIN = 'shop.example'
const [ROUTER, NODE] = ['127.0.0.1', '127.44.2.7']
/** A visitor waits no longer. */
const SECONDS = 20
const SCRIPT = '<?php echo $_SERVER["REQUEST_METHOD"], " ", strlen(file_get_contents("php://input"));'
/** What a Caddy that can measure a body does with it, and one that cannot. */
const [UPLOADED, REFUSED] = ['200 POST 5', '411 A request with a body needs a Content-Length here.']

/** One worker, which one request keeps from all others. */
async function startPhp(folder: string): Promise<AsyncDisposable & { readonly socket: string }> {
  const [socket, file] = [join(folder, 'php.sock'), join(folder, 'fpm.conf')]
  const pool = ['user = nobody', 'listen.mode = 0666', 'pm = static', 'pm.max_children = 1']
  const text = [`[global]\nerror_log = ${join(folder, 'fpm.log')}\n[shop]\nlisten = ${socket}`, ...pool]
  writeFileSync(file, `${text.join('\n')}\n`)
  const options = ['--nodaemonize', '--allow-to-run-as-root', '--fpm-config', file]
  const child = spawn(MANAGER ?? '', options, { stdio: 'ignore' })
  for (let tries = 0; tries < 600 && !existsSync(socket); tries += 1) await pause(50)
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      // Not SIGKILL: it takes its worker with it.
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    },
  }
}

/** A site of PHP on a Node, and the Router before it. */
async function startShop() {
  await using stack = new AsyncDisposableStack()
  const folder = newFolder()
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site', 'index.php'), SCRIPT)
  const { leaf, root } = selfSigned(folder, DOMAIN)
  const port = await freePort()
  const php = stack.use(await startPhp(folder))
  const own = { domain: DOMAIN, tls: { kind: 'leaf', file: leaf } } as const
  const at = (address: string): Site['listener'] => ({ kind: 'tcp', addresses: [address], port })
  const sites: readonly Site[] = [
    {
      ...own,
      source: 'router',
      scope: 'route-3-router',
      listener: at(ROUTER),
      handler: { kind: 'pool', targets: [{ kind: 'tcp', address: NODE, port }] },
    },
    {
      ...own,
      source: 'app-dev',
      scope: 'app-instance-12',
      listener: at(NODE),
      trusts: [ROUTER],
      handler: { kind: 'files', root: join(folder, 'site'), php: php.socket, cachesBuilds: false },
    },
  ]
  stack.use(await startCaddy({ folder, domain: DOMAIN, port, sites, root }))
  const owned = stack.move()
  return { port, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Status and text of what answers these bytes; nothing where nobody does in time. */
async function send(host: string, port: number, head: string, body = ''): Promise<string> {
  const socket = connect({ host, port, servername: DOMAIN, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  const ended = once(socket, 'close')
  socket.on('error', () => undefined)
  socket.write(`${head} / HTTP/1.1\r\nHost: ${DOMAIN}\r\nConnection: close\r\n${body}`)
  await Promise.race([ended, pause(SECONDS * 1000, undefined, { ref: false })])
  socket.destroy()
  const [start = '', answer = ''] = text.split('\r\n\r\n')
  return `${/^HTTP\/1.1 (\d+)/.exec(start)?.[1] ?? 'nothing'} ${start.includes('chunked') ? answer.split('\r\n')[1] : answer}`
}

const chunked = (...parts: readonly string[]): string =>
  `Transfer-Encoding: chunked\r\n\r\n${[...parts, ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}`
const LONG = 'x'.repeat(70_000)

test(
  'a body without a length keeps no worker of PHP: it is taken or refused, and whoever comes next is answered',
  { skip },
  async () => {
    await using shop = await startShop()
    for (const host of [NODE, ROUTER]) {
      const ask = (head: string, body: string) => send(host, shop.port, head, body)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'PROPFIND'])
        for (const parts of [['x'], ['x', 'yz'], [LONG, LONG]]) {
          const said = await ask(method, chunked(...parts))
          const isTaken = FEATURES.measuresBodies && (method !== 'GET' || host === NODE)
          const taken = `200 ${method} ${parts.join('').length}`
          assert.equal(said, isTaken ? taken : REFUSED, `${host} ${method} ${parts.length}`)
          assert.equal(await ask('GET', '\r\n'), '200 GET 0')
        }
    }
  },
)

test('a visitor who does not send his body to its end keeps no worker of PHP', { skip }, async () => {
  await using shop = await startShop()
  for (const host of [NODE, ROUTER]) {
    const idle = connect({ host, port: shop.port, servername: DOMAIN, rejectUnauthorized: false })
    await once(idle, 'secureConnect')
    idle.on('error', () => undefined)
    idle.write(`POST / HTTP/1.1\r\nHost: ${DOMAIN}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(900_000)}`)
    await pause(500)
    assert.equal(await send(host, shop.port, 'GET', '\r\n'), '200 GET 0', host)
    // Larger ones are sent on while they come.
    const body = 'x'.repeat(3_000_000)
    const sized = `Content-Length: ${body.length}\r\n\r\n${body}`
    assert.equal(await send(host, shop.port, 'POST', sized), `200 POST ${body.length}`, host)
    idle.destroy()
  }
})

test('what has no body, and what says how long its body is, reaches PHP as it is', { skip }, async () => {
  await using shop = await startShop()
  for (const host of [NODE, ROUTER]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])
      assert.equal(await send(host, shop.port, method, '\r\n'), `200 ${method} 0`, host)
    for (const method of ['POST', 'GET', 'DELETE'])
      for (const body of ['x', LONG]) {
        const sized = `Content-Length: ${body.length}\r\n\r\n${body}`
        assert.equal(await send(host, shop.port, method, sized), `200 ${method} ${body.length}`, host)
      }
    assert.equal(await send(host, shop.port, 'POST', chunked()), '200 POST 0', host)
  }
})

test('a stream of HTTP/2 needs no length to have a body, and is answered alike', { skip }, async () => {
  await using shop = await startShop()
  const session = connectHttp2(`https://${NODE}:${shop.port}`, {
    servername: DOMAIN,
    rejectUnauthorized: false,
  })
  const stream = session.request({ ':method': 'POST', ':authority': DOMAIN, ':path': '/' })
  let [status, text] = ['nothing', '']
  stream.on('response', (headers) => (status = String(headers[':status'])))
  stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  stream.setTimeout(SECONDS * 1000, () => stream.close())
  stream.end('hello')
  await once(stream, 'close')
  session.destroy()
  assert.equal(`${status} ${text}`, FEATURES.measuresBodies ? UPLOADED : REFUSED)
  assert.equal(await send(NODE, shop.port, 'GET', '\r\n'), '200 GET 0')
})
