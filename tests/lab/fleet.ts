import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeEntry } from '@fleet/fleet'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import type { Host, Lab } from '../../lab/index.ts'
import { ask, dataOf, errorOf, type JsonObject, type Response } from '../embedded/ask.ts'
import { GatewayProcess } from './gateway-process.ts'
import { testLab } from './site.ts'
import { trust } from './trust.ts'

const USER = 'fleet'
const HOME = '/home/fleet'

/** Where the checkouts of Instances stand on a host. */
export const APPS = `${HOME}/apps`

/** Code and details of an answer that is no success. */
export interface Refusal {
  readonly code: unknown
  readonly details: unknown
}

/** A real gateway on the machine's address in the lab, one Node of it, and a repository that both can reach. */
export interface LabFleet extends AsyncDisposable {
  readonly host: Host
  readonly git: GitServer
  readonly gateway: GatewayProcess
  readonly home: string
  readonly nodeId: number
  /** The answer; rejects when the gateway dies before it. */
  ask(method: string, path: string, body?: unknown): Promise<Response>
  /** Data of an answer that must be a success. */
  send(method: string, path: string, body?: unknown): Promise<JsonObject>
  /** An answer that must be a refusal or a fault. */
  refused(method: string, path: string, body?: unknown): Promise<Refusal>
}

/** Starts all of it with the project `shop` (id 1). */
export async function startLabFleet(name: string): Promise<LabFleet> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const host = stack.use(await lab.host({ name, packages: ['git'] }))
  const git = stack.use(await startGitServer(['shop'], lab.addresses.machine))
  const home = mkdtempSync(join(tmpdir(), 'fleet-lab-'))
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  const reported = { home, address: lab.addresses.machine, port: 0, gitAuthority: git.caFile }
  const gateway = stack.use(await GatewayProcess.start({ ...reported, nodes: await entries(lab, host) }))
  await prepare(host, gateway.said.sshPublicKey, git)
  const fleet = {
    host,
    git,
    gateway,
    home,
    nodeId: gateway.said.ids[1] ?? 0,
    ...client(gateway, lab.addresses.machine),
  }
  await fleet.send('POST', '/projects', {
    slug: 'shop',
    name: 'Shop',
    type: 'node-package',
    repository_url: git.urlOf('shop'),
    root: '.',
  })
  const owned = stack.move()
  return { ...fleet, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Runs a line as the managed user, in its home. */
export const asUser = (host: Host, line: string, input?: string): Promise<string> =>
  host.run(['runuser', '--login', USER, '--command', line], { input })

function client({ said }: GatewayProcess, from: string): Pick<LabFleet, 'ask' | 'send' | 'refused'> {
  const ca = readFileSync(said.caFile, 'utf8')
  const request: LabFleet['ask'] = (method, path, body) =>
    ask(said.url, ca, method, `/api/v1${path}`, { from, body })
  return {
    ask: request,
    send: async (method, path, body) => {
      const response = await request(method, path, body)
      assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
      return dataOf(response)
    },
    refused: async (method, path, body) => {
      const response = await request(method, path, body)
      assert.ok(response.status >= 400, `${method} ${path}: ${response.status} ${response.text}`)
      const { code, details } = errorOf(response)
      return { code, details }
    },
  }
}

/** What enrolment leaves on a machine: the managed user with the gateway's key, and the fleet's authority trusted. */
async function prepare(host: Host, publicKey: string, git: GitServer): Promise<void> {
  await host.run(['useradd', '--create-home', '--shell', '/bin/bash', USER])
  const keys = '~/.ssh/authorized_keys'
  await asUser(host, `mkdir -m 700 ~/.ssh && cat >${keys} && chmod 600 ${keys}`, publicKey)
  await trust(git.caFile, 'fleet', host)
  // As on any machine that has been enrolled for longer than the kernel keeps a write in memory.
  await host.run(['sync'])
}

async function entries(lab: Lab, host: Host): Promise<readonly NodeEntry[]> {
  const facts = {
    status: 'active',
    platform: 'linux',
    architecture: 'x86_64',
    user: USER,
    user_home: HOME,
    ssh_port: 22,
  } as const
  const gateway: NodeEntry = {
    ...facts,
    name: 'gateway',
    wireguard_ip: lab.addresses.machine,
    roles: ['gateway', 'vpn'],
    access: { to: [], by: [] },
  }
  const node: NodeEntry = {
    ...facts,
    name: host.name,
    tld: `${host.name}.test`,
    wireguard_ip: host.address,
    ssh_host_fingerprint: await host.fingerprint(),
    roles: ['app-dev'],
    access: { to: [], by: ['gateway'] },
  }
  return [gateway, node]
}
