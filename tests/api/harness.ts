import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GatewayOverrides, type RunningGateway, startGateway } from '@fleet/gateway'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { openTestStore } from '@fleet/testing'
import { refusedUnchanged } from './unchanged.ts'

/** Loopback addresses of the test fleet; the last one belongs to no Node. */
export const ADDRESS = {
  gateway: '127.0.0.1',
  granted: '127.44.9.11',
  ungranted: '127.44.9.12',
  inactive: '127.44.9.13',
  unknown: '127.44.9.99',
} as const
export type From = keyof typeof ADDRESS

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The parsed body; undefined when it is no JSON. */
  // eslint-disable-next-line typescript/no-explicit-any -- A test reads whatever shape it expects and fails on another.
  readonly json: any
}

export interface Ask {
  readonly from?: From
  readonly body?: unknown
  /** Sent as it is, in the place of `body`. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestGateway extends AsyncDisposable {
  readonly gateway: RunningGateway
  readonly store: Store
  readonly url: string
  readonly home: string
  readonly ca: string
  readonly nodes: Readonly<Record<Exclude<From, 'unknown'>, number>>
  /** A refusal by 409 that changed a record fails the test. */
  ask(method: string, path: string, options?: Ask): Promise<Response>
}

/** A Node that never answers: API tests that reach for one would be about something else. */
const deadPool: SshPool = {
  run: () => Promise.reject(new Error('this test has no Nodes to run commands on')),
  forward: () => Promise.reject(new Error('this test has no Nodes to connect through')),
  probe: () => Promise.reject(new Error('this test has no Nodes to probe')),
  scan: () => Promise.reject(new Error('this test has no Nodes to scan')),
  forget: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

export interface TestGatewayOptions {
  /** Opened by whoever also gives domains over it. */
  readonly store?: Store
  readonly ssh?: SshPool
  readonly clock?: GatewayOverrides['clock']
  readonly poster?: GatewayOverrides['poster']
  readonly feed?: GatewayOverrides['feed']
  /** Domains of its own, such as work on machines that nothing is done to. */
  readonly fakes?: GatewayOverrides['fakes']
  readonly github?: GatewayOverrides['github']
  /** Whether its log is the file `log` of its home. */
  readonly hasLog?: boolean
  /** Authority that the gateway's own Git trusts. */
  readonly gitAuthority?: string
}

/** The real gateway on a free loopback port, with a store of its own and Nodes known by loopback addresses. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-api-'))
  const store = options.store ?? (await openTestStore())
  const gateway = await startGateway(
    {
      home,
      listen: [{ address: '127.0.0.1', port: 0 }],
      names: ['gateway.fleet'],
      name: 'gateway',
      version: 'test',
      ...(options.hasLog ? { log: 'json', logFile: join(home, 'log') } : { log: 'silent' }),
      ...(options.gitAuthority ? { gitEnvironment: { GIT_SSL_CAINFO: options.gitAuthority } } : {}),
    },
    {
      store,
      ssh: options.ssh ?? deadPool,
      strictLocks: true,
      ...(options.clock ? { clock: options.clock } : {}),
      ...(options.poster ? { poster: options.poster } : {}),
      ...(options.feed ? { feed: options.feed } : {}),
      github: options.github,
      ...(options.fakes ? { fakes: options.fakes } : {}),
    },
  )
  const ca = readFileSync(gateway.caFile, 'utf8')
  const url = gateway.urls[0] ?? ''
  const nodes = await enterNodes(gateway, home)
  return {
    gateway,
    store,
    url,
    home,
    ca,
    nodes,
    ask: (method, path, ask = {}) => {
      const send = () => ask_(url, ca, method, path, ask)
      return method === 'GET' ? send() : refusedUnchanged(store, send)
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function enterNodes(gateway: RunningGateway, home: string): Promise<TestGateway['nodes']> {
  const enter = (
    name: From,
    status: 'active' | 'failed',
    roles: readonly ('gateway' | 'vpn' | 'app-dev')[],
  ) =>
    gateway.registry.put({
      name,
      status,
      platform: 'linux',
      architecture: 'x86_64',
      tld: null,
      user: 'fleet',
      user_home: join(home, 'homes', name),
      wireguard_ip: ADDRESS[name],
      ssh_host_fingerprint: `SHA256:${'A'.repeat(43)}`,
      ssh_port: 22,
      roles,
      access: { to: [], by: [] },
    })
  const ids = {
    gateway: (await enter('gateway', 'active', ['gateway', 'vpn'])).id,
    granted: (await enter('granted', 'active', ['app-dev'])).id,
    ungranted: (await enter('ungranted', 'active', ['app-dev'])).id,
    inactive: (await enter('inactive', 'failed', ['app-dev'])).id,
  }
  return ids
}

function ask_(
  url: string,
  ca: string,
  method: string,
  path: string,
  { from = 'gateway', body, raw, headers }: Ask,
): Promise<Response> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      new URL(path, url),
      {
        method,
        ca,
        agent: false,
        localAddress: ADDRESS[from],
        headers: {
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) })
        })
      },
    )
    request.on('error', reject)
    request.end(payload)
  })
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
