import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GitHubServer } from '@fleet/fleet'
import { githubAppPermissions } from '@fleet/contract'
import { type Clock, Secret, systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { type GitServer, startGitServer } from '#/git-server.ts'
import { appKeys, appOf } from '#/fake-github/app-keys.ts'
import {
  type HostAnswer,
  HostRecords,
  type Installation,
  refusal,
  type TokenWish,
} from '#/fake-github/host-records.ts'
import { trustingFetch } from '#/fake-github/trusting-fetch.ts'

/** One request for the API, as it came. */
export interface HostCall {
  /** Method and path below the API. */
  readonly route: string
  readonly authorization: string
  readonly body: unknown
}

/** What the next request whose route contains the text is answered with. */
interface Ordered {
  readonly text: string
  readonly status: number
  readonly message: string
}

/** GitHub as far as its Apps and its private repositories go, over HTTPS on loopback. */
export class FakeGitHub implements AsyncDisposable {
  readonly server: GitHubServer
  readonly git: GitServer
  readonly records: HostRecords
  /** Requests for the API in order. */
  readonly calls: HostCall[]
  /** What was posted to register apps. */
  readonly manifests: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly #ordered: Ordered[]

  constructor({ git, records, calls, manifests, ordered }: Running) {
    this.git = git
    this.records = records
    this.calls = calls
    this.manifests = manifests
    this.#ordered = ordered
    const { origin } = new URL(git.urlOf('x'))
    const fetch = trustingFetch(readFileSync(git.caFile, 'utf8'))
    this.server = { web: origin, api: `${origin}${API}`, fetch }
  }

  /** Every private key and token that was handed out. */
  get secrets(): readonly string[] {
    return this.records.secrets
  }

  /** An app that is registered here and stored in the gateway. Answers its number. */
  async addApp({ db, cipher }: Store): Promise<number> {
    const app = this.records.makeApp('Fleet', 'acme')
    const { id: app_id, slug, name, owner } = app
    const place = { table: 'github_apps', column: 'private_key', row: String(app_id) }
    const private_key = cipher.seal(place, new Secret(appKeys().pem))
    const url = this.records.urlOf(app)
    const row = { id: 1, app_id, slug, name, owner, url, private_key, created_at: '2026-01-01T00:00:00.000Z' }
    await db.insertInto('github_apps').values(row).execute()
    return app_id
  }

  /** Installs it on repositories of an account, with all that it asked for unless less is given. */
  install(
    app: number,
    account: string,
    repositories: readonly string[],
    permissions: Installation['permissions'] = githubAppPermissions,
  ): Installation {
    return this.records.install({ app, account, repositories, permissions })
  }

  refuse(text: string, status: number, message: string): void {
    this.#ordered.push({ text, status, message })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.git[Symbol.asyncDispose]())
  }
}

interface Running {
  readonly git: GitServer
  readonly records: HostRecords
  readonly calls: HostCall[]
  readonly manifests: Array<Readonly<Record<string, unknown>>>
  readonly ordered: Ordered[]
}

export async function startFakeGitHub(
  repositories: readonly string[],
  clock: Clock = systemClock,
): Promise<FakeGitHub> {
  const records = new HostRecords(clock, () => new URL(git.urlOf('x')).origin)
  const kept = { records, calls: [], manifests: [], ordered: [] }
  const git = await startGitServer(repositories, undefined, async (request, response) => {
    const answer = await answerOf(kept, request, clock)
    if (answer) send(response, answer, clock)
    return answer !== undefined
  })
  return new FakeGitHub({ git, ...kept })
}

const API = '/api/v3'

/** Undefined for Git with a credential that may read. */
async function answerOf(
  kept: Omit<Running, 'git'>,
  request: IncomingMessage,
  clock: Clock,
): Promise<HostAnswer | undefined> {
  const url = new URL(request.url ?? '/', 'https://127.0.0.1')
  const { pathname } = url
  if (pathname.startsWith(API)) return askedApi(kept, request, url, clock)
  if (pathname.endsWith('/settings/apps/new')) return agree(kept, url, await textOf(request))
  if (pathname.startsWith('/apps/')) return { status: 200, body: 'installation' }
  const repository = /^\/(.+?)\.git\//.exec(pathname)?.[1] ?? ''
  if (kept.records.mayRead(repository, request.headers.authorization)) return undefined
  return { status: 401, headers: { 'www-authenticate': 'Basic' } }
}

/** A person who agrees to the manifest that was posted. */
function agree({ records, manifests }: Omit<Running, 'git'>, url: URL, body: string): HostAnswer {
  const posted = new URLSearchParams(body).get('manifest') ?? ''
  const manifest = JSON.parse(posted) as Record<string, unknown> // The test compares it.
  manifests.push(manifest)
  const owner = /^\/organizations\/([^/]+)\//.exec(url.pathname)?.[1] ?? 'somebody'
  const code = records.codeFor(records.makeApp(String(manifest['name']), owner))
  const state = url.searchParams.get('state') ?? ''
  return {
    status: 302,
    headers: { location: `${String(manifest['redirect_url'])}?code=${code}&state=${state}` },
  }
}

async function askedApi(
  { records, calls, ordered }: Omit<Running, 'git'>,
  request: IncomingMessage,
  url: URL,
  clock: Clock,
): Promise<HostAnswer> {
  const { authorization = '' } = request.headers
  const text = await textOf(request)
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  const route = `${request.method} ${url.pathname.slice(API.length)}`
  calls.push({ route, authorization, body })
  const at = ordered.findIndex((one) => route.includes(one.text))
  const [refused] = at < 0 ? [] : ordered.splice(at, 1)
  if (refused) return refusal(refused.status, refused.message)
  const [, code] = /^POST \/app-manifests\/([^/]+)\/conversions$/.exec(route) ?? []
  if (code !== undefined) return records.convert(code)
  const app = appOf(authorization, clock.now())
  if (!records.knows(app)) return refusal(401, 'A JSON web token could not be decoded')
  const query = url.searchParams
  if (route === 'GET /app/installations')
    return records.listed(app, { size: Number(query.get('per_page')), page: Number(query.get('page')) })
  const [, owner, repo] = /^GET \/repos\/([^/]+)\/([^/]+)\/installation$/.exec(route) ?? []
  if (owner !== undefined && repo !== undefined) return records.covering(app, owner, repo)
  const [, id] = /^POST \/app\/installations\/(\d+)\/access_tokens$/.exec(route) ?? []
  return id === undefined ? refusal(404, 'Not Found') : records.makeToken(app, Number(id), body as TokenWish) // A test compares it.
}

function send(response: ServerResponse, { status, headers = {}, body }: HostAnswer, clock: Clock): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  const own = { 'content-type': 'application/json; charset=utf-8', date: clock.now().toUTCString() }
  response.writeHead(status, { ...own, ...headers }).end(text)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // No encoding is set.
  return Buffer.concat(chunks).toString('utf8')
}
