// A Route until it answers, and a request through Router and workload: each beside what one does by hand with Caddy alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { freePort } from '@fleet/testing/free-port'
import { CADDY, controlOf } from '@fleet/testing/real-caddy'
import { openTown, type Town } from '../packages/fleet/src/routes/traffic/town.test.ts'
import { create } from '../packages/fleet/src/routes/world.test.ts'
import { measure, median, type Report, sideBySide } from './measure.ts'
import { execute } from './ssh-server.ts'

const ROUTES = 20
const REQUESTS = 1000
const PAGE = 'page of a'

export async function* run(): AsyncGenerator<Report> {
  if (CADDY === undefined) {
    yield { bench: 'route-created', skipped: 'caddy is not installed' }
    return
  }
  await using town = await openTown([])
  await using hand = await startByHand()
  await using upstream = await startUpstream()
  const created = await sideBySide(
    ROUTES,
    () => createRoute(town, upstream.port),
    () => hand.addSite(upstream.port),
  )
  const file = 'a written file, caddy reload and the first request'
  yield measure('route-created', 'ms', median(created.ours), file, median(created.theirs))
  const agent = new Agent({ keepAlive: true })
  const address = town.web.addressOf('a.example')
  const { port, authority } = town.web
  const passed = await sideBySide(
    REQUESTS,
    () => get({ agent, address, port, domain: 'a.example', authority }),
    () =>
      get({ agent, address: '127.0.0.1', port: hand.port, domain: 'a.hand.test', authority: hand.authority }),
  )
  agent.destroy()
  const two = 'two servers configured by hand, p50'
  yield measure('route-request', 'ms', median(passed.ours), two, median(passed.theirs))
}

let count = 0

async function createRoute({ shop, web }: Town, upstream: number): Promise<void> {
  const domain = `new-${(count += 1)}.internal`
  await create(shop.world, { domain, node_id: shop.router.id, upstream: `http://127.0.0.1:${upstream}` })
  const { port, authority } = web
  await get({ agent: false, address: web.addressOf(domain), port, domain, authority })
}

interface Visit {
  readonly agent: Agent | false
  readonly address: string | undefined
  readonly port: number
  readonly domain: string
  readonly authority: string
}

async function get({ agent, address: host, port, domain, authority }: Visit): Promise<void> {
  const headers = { host: domain }
  const to = { host, port, servername: domain, path: '/page.txt', headers, agent, ca: authority }
  const sent = request(to).end()
  const [response] = (await once(sent, 'response')) as [
    AsyncIterable<Buffer> & { readonly statusCode: number },
  ] // What it has.
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  if (response.statusCode !== 200 || text !== PAGE)
    throw new Error(`${domain}: ${response.statusCode} ${text}`)
}

async function startUpstream(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((_request, response) => response.end(PAGE)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A listening TCP server has one.
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface ByHand extends AsyncDisposable {
  readonly port: number
  readonly authority: string
  addSite(upstream: number): Promise<void>
}

/** One Caddy before another, as somebody writes them who has one certificate for all names. */
async function startByHand(): Promise<ByHand> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'fleet-by-hand-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  )
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'By hand' })
  const names = ['a.hand.test', '*.hand.test']
  const { key, certificate } = await issueLeaf(root, { names, addresses: [], clock: systemClock })
  const leaf = join(folder, 'leaf.pem')
  const authority = join(folder, 'root.pem')
  writeFileSync(leaf, key.reveal() + certificate)
  writeFileSync(authority, root.certificate)
  const [port, behind] = [await freePort(), await freePort()]
  const site = (at: string, body: string): string =>
    `${at} {\n\tbind 127.0.0.1\n\ttls ${leaf} ${leaf}\n\t${body}\n}\n`
  const options = (name: string): string =>
    `{\n\tadmin ${controlOf(join(folder, name))}\n\tauto_https off\n}\n`
  const trusted = `transport http {\n\t\ttls_trusted_ca_certs ${authority}\n\t\ttls_server_name a.hand.test\n\t}`
  const sites = [
    site(`https://a.hand.test:${port}`, `reverse_proxy https://127.0.0.1:${behind} {\n\t${trusted}\n\t}`),
  ]
  const start = async (name: string, text: string): Promise<string> => {
    mkdirSync(join(folder, name))
    const file = join(folder, name, 'Caddyfile')
    writeFileSync(file, text)
    const options = { stdio: 'ignore', env: { HOME: folder, PATH: '/usr/bin:/bin' } } as const
    const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], options)
    stack.defer(() => void child.kill('SIGKILL'))
    for (let tries = 0; tries < 200 && !existsSync(join(folder, name, 'admin.sock')); tries += 1)
      await systemClock.sleep(50)
    return file
  }
  const front = await start('front', options('front') + sites.join(''))
  mkdirSync(join(folder, 'public'))
  writeFileSync(join(folder, 'public', 'page.txt'), PAGE)
  const served = site(`https://a.hand.test:${behind}`, `root * ${join(folder, 'public')}\n\tfile_server`)
  await start('back', options('back') + served)
  const owned = stack.move()
  return {
    port,
    authority: root.certificate,
    addSite: async (upstream) => {
      const domain = `new-${sites.length}.hand.test`
      sites.push(site(`https://${domain}:${port}`, `reverse_proxy 127.0.0.1:${upstream}`))
      writeFileSync(front, options('front') + sites.join(''))
      const control = controlOf(join(folder, 'front'))
      await execute('caddy', ['reload', '--adapter', 'caddyfile', '--config', front, '--address', control])
      await get({ agent: false, address: '127.0.0.1', port, domain, authority: root.certificate })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
