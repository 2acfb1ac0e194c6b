import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@fleet/testing/free-port'
import { newFolder, NO_CADDY, selfSigned, startCaddy } from '#/web-server/caddy.test.ts'
import { startVariables } from '#/web-server/fast-cgi.test.ts'
import type { FileSite, PoolTarget, Site } from '#/web-server/site.ts'

const DOMAIN = 'shop.example'
/** Whatever a server leads to on this machine comes from here. */
const SERVER = '127.0.0.1'
const [INGRESS, ROUTER, WORKLOAD, CUSTOM] = ['127.0.0.1', '127.44.0.3', '127.44.0.7', '127.44.0.8']
/** A visitor, who is nobody's server. */
const VISITOR = '127.44.9.9'

/** What visitors say of themselves, in each spelling that a reader of variables takes for the same name. */
const FORGED = {
  'X-Forwarded-For': '203.0.113.1, 203.0.113.2',
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Proto': 'gopher',
  X_Forwarded_For: '203.0.113.3',
  'x-forwarded_for': '203.0.113.4',
  'X_forwarded-For': '203.0.113.5',
  X_Forwarded_Proto: 'gopher',
  'X.Forwarded.For': '203.0.113.6',
  'x-forwarded.for': '203.0.113.7',
  'X.Forwarded-Host': 'evil.example',
  'X-Forwarded.Host': 'evil.example',
  'X-Forwarded-Port': '8443',
  'X-Forwarded-Prefix': '/elsewhere',
  Forwarded: 'for=203.0.113.8;host=evil.example',
  'X-Real-IP': '203.0.113.9',
  Connection: 'close, X-Forwarded-For, X-Forwarded-Host',
} as const

type Said = Readonly<Record<string, string | undefined>>

/** An ingress, a Router, the sites of an Instance at an address and on a socket, and a custom proxy: one Caddy has all of them. */
async function startChain() {
  await using stack = new AsyncDisposableStack()
  const folder = newFolder()
  const { leaf, root } = selfSigned(folder, DOMAIN)
  const port = await freePort()
  mkdirSync(join(folder, 'site'))
  writeFileSync(join(folder, 'site', 'index.php'), '')
  const php = stack.use(await startVariables(join(folder, 'php.sock')))
  const service = createServer(({ headers }, response) => void response.end(JSON.stringify(headers)))
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  stack.defer(() => void service.close())
  const { port: behind } = service.address() as AddressInfo // A listening TCP server has one.
  const at = (address: string): Site['listener'] => ({ kind: 'tcp', addresses: [address], port })
  const own = { domain: DOMAIN, tls: { kind: 'leaf', file: leaf } } as const
  const files: FileSite = {
    kind: 'files',
    root: join(folder, 'site'),
    php: php.socket,
    cachesBuilds: false,
    tools: [{ path: '/__fleet/vite', port: behind, keepsPrefix: true }],
  }
  const leadingTo = (target: PoolTarget): Site['handler'] => ({ kind: 'pool', targets: [target] })
  const socket = join(folder, 'site.sock')
  const sitesOf = (target: PoolTarget): readonly Site[] => [
    {
      ...own,
      source: 'ingress',
      scope: 'ingress',
      listener: at(INGRESS),
      handler: leadingTo({ kind: 'tcp', address: ROUTER, port }),
    },
    {
      ...own,
      source: 'router',
      scope: 'router',
      listener: at(ROUTER),
      trusts: [SERVER],
      handler: leadingTo(target),
    },
    { ...own, source: 'app-prod', scope: 'tcp', listener: at(WORKLOAD), trusts: [SERVER], handler: files },
    { ...own, source: 'app-prod', scope: 'unix', listener: { kind: 'unix', path: socket }, handler: files },
    {
      ...own,
      source: 'custom-proxy',
      scope: 'custom',
      listener: at(CUSTOM),
      handler: { kind: 'proxy', upstream: `http://127.0.0.1:${behind}` },
    },
  ]
  const direct: PoolTarget = { kind: 'tcp', address: WORKLOAD, port }
  const caddy = stack.use(await startCaddy({ folder, domain: DOMAIN, port, sites: sitesOf(direct), root }))
  const owned = stack.move()
  return {
    port,
    leadTo: (to: 'address' | 'socket') =>
      caddy.publish(sitesOf(to === 'address' ? direct : { kind: 'unix', path: socket })),
    /** What the application hears of a visitor who came by this address. */
    hear: (
      address: string,
      path: string,
      { from = VISITOR, headers = FORGED }: Partial<Pick<Asked, 'from' | 'headers'>> = {},
    ): Promise<Said> => ask({ address, port, path, from, headers }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface Asked {
  readonly address: string
  readonly port: number
  readonly path: string
  readonly from: string
  readonly headers: Said
}

const ask = ({ address, port, path, from, headers }: Asked): Promise<Said> =>
  new Promise((resolve, reject) => {
    const sent = request({
      host: address,
      port,
      path,
      localAddress: from,
      servername: DOMAIN,
      rejectUnauthorized: false,
      headers: { host: DOMAIN, ...headers },
      agent: false,
    })
    sent.on('error', reject).on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(JSON.parse(text) as Said) // The services of this test answer this.
          : reject(new Error(`${response.statusCode} ${text}`)),
      )
    })
    sent.end()
  })

const phpHears = (said: Said) => ({
  address: said['REMOTE_ADDR'],
  host: said['REMOTE_HOST'],
  for: said['HTTP_X_FORWARDED_FOR'],
  proto: said['HTTP_X_FORWARDED_PROTO'],
  forHost: said['HTTP_X_FORWARDED_HOST'],
  others: ['X_FORWARDED_PORT', 'X_FORWARDED_PREFIX', 'FORWARDED', 'X_REAL_IP'].map(
    (name) => said[`HTTP_${name}`],
  ),
})
const NOBODY = [undefined, undefined, undefined, undefined]
const PHP = { address: VISITOR, host: VISITOR, for: VISITOR, proto: 'https', forHost: DOMAIN, others: NOBODY }

const serviceHears = (said: Said): Said =>
  Object.fromEntries(Object.entries(said).filter(([name]) => /^(x.)?forwarded|^x-real-ip/.test(name)))
const SERVICE = { 'x-forwarded-for': VISITOR, 'x-forwarded-proto': 'https', 'x-forwarded-host': DOMAIN }

test(
  'PHP and what is behind a proxy hear the address of the client, whichever way it came and whatever it says of itself [RTX-056]',
  { skip: NO_CADDY },
  async () => {
    await using chain = await startChain()
    for (const to of ['address', 'socket'] as const) {
      chain.leadTo(to)
      for (const [name, address] of Object.entries({
        ingress: INGRESS,
        router: ROUTER,
        workload: WORKLOAD,
      })) {
        // A reader of variables finds one of several spellings by chance.
        for (let times = 0; times < 12; times += 1)
          assert.deepEqual(phpHears(await chain.hear(address, '/')), PHP, `${name}, ${to}`)
        const heard = serviceHears(await chain.hear(address, '/__fleet/vite'))
        assert.deepEqual({ ...heard, ...SERVICE }, heard, `${name}, ${to}`)
      }
    }
    assert.deepEqual(serviceHears(await chain.hear(CUSTOM, '/')), SERVICE)
  },
)

test(
  'a server of the fleet that says nothing of a client is the client itself',
  { skip: NO_CADDY },
  async () => {
    await using chain = await startChain()
    const said = await chain.hear(WORKLOAD, '/', { from: SERVER, headers: {} })
    assert.deepEqual([said['REMOTE_ADDR'], said['HTTP_X_FORWARDED_FOR']], [SERVER, SERVER])
  },
)
