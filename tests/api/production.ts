import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { DeploymentLine } from '@fleet/contract'
import { addInstance, addProject, localPool, type LocalPool } from '@fleet/testing'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import { ADDRESS, startTestGateway, type TestGateway } from './harness.ts'

/** The real gateway with one production Instance, whose Node and home are this machine. */
export interface ProductionWorld extends AsyncDisposable {
  readonly fleet: TestGateway
  readonly git: GitServer
  readonly pool: LocalPool
  readonly instance: number
  readonly project: number
  /** Path of the Instance in the API. */
  readonly path: string
  readonly home: string
  /** What `current` leads to. */
  current(): string
  ask(method: string, path: string, body?: unknown): ReturnType<TestGateway['ask']>
  /** Sends a request and ends it with the first line of the answer: its connection, or its stream of HTTP/2. */
  leave(over: 'http1' | 'http2', path: string, body: unknown): Promise<void>
}

export async function startProduction(): Promise<ProductionWorld> {
  await using stack = new AsyncDisposableStack()
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-production-')))
  stack.defer(() => rmSync(root, { recursive: true, force: true }))
  const git = stack.use(await startGitServer(['shop']))
  const pool = localPool({ home: root, env: { GIT_SSL_CAINFO: git.caFile, GIT_CONFIG_NOSYSTEM: '1' } })
  const fleet = stack.use(await startTestGateway({ ssh: pool, gitAuthority: git.caFile }))
  const { store, nodes } = fleet
  const user = userInfo().username
  await store.db.updateTable('nodes').set({ user }).execute()
  await store.db
    .updateTable('node_roles')
    .set({ role: 'app-prod' })
    .where('node_id', '=', nodes.granted)
    .execute()
  const project = await addProject(store, {
    slug: 'shop',
    repository_url: git.urlOf('shop'),
    repository_identity: '127.0.0.1/shop',
  })
  const home = join(root, 'home', 'shop')
  mkdirSync(home, { recursive: true })
  const row = await addInstance(store, {
    project_id: project.id,
    node_id: nodes.granted,
    name: 'live',
    environment: 'production',
    preparation_id: randomUUID(),
    production_user: user,
    production_home: home,
    checkout_path: join(home, 'current'),
  })
  const owned = stack.move()
  return {
    fleet,
    git,
    pool,
    instance: row.id,
    project: project.id,
    path: `/api/v1/instances/${row.id}`,
    home,
    current: () => readlinkSync(join(home, 'current')),
    ask: (method, path, body) =>
      fleet.ask(method, path, { from: 'granted', ...(body === undefined ? {} : { body }) }),
    leave: (over, path, body) => LEAVING[over](fleet, path, body),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const JSON_BODY = { 'content-type': 'application/json' }
const LEAVING = { http1: leaveConnection, http2: leaveStream } as const

async function leaveConnection({ url, ca }: TestGateway, path: string, body: unknown): Promise<void> {
  const sent = request(new URL(path, url), {
    method: 'POST',
    ca,
    agent: false,
    localAddress: ADDRESS.granted,
    headers: JSON_BODY,
  }).on('error', () => undefined)
  sent.end(JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage] // What the event brings.
  await firstPhase(answer)
  sent.destroy()
}

async function leaveStream({ url, ca }: TestGateway, path: string, body: unknown): Promise<void> {
  const socket = { ca, localAddress: ADDRESS.granted } // Its own types leave out what goes to the socket.
  const session = connect(url, socket)
  const stream = session.request({ ':method': 'POST', ':path': path, ...JSON_BODY })
  stream.end(JSON.stringify(body))
  await firstPhase(stream)
  session.destroy()
}

async function firstPhase(answer: AsyncIterable<unknown>): Promise<void> {
  for await (const chunk of answer) if (String(chunk).includes('"phase"')) return
}

/** The lines of a stream without the white space between them. */
export const linesOf = (text: string): readonly DeploymentLine[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DeploymentLine) // What the contract declares for the stream.
