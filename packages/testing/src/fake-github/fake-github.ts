import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GitHubServer } from '@fleet/fleet'
import { type Clock, systemClock } from '@fleet/kernel'
import { type GitServer, startGitServer } from '#/git-server.ts'
import { appKeys, appOf } from '#/fake-github/app-keys.ts'
import { trustingFetch } from '#/fake-github/trusting-fetch.ts'

/** One request for the API, as it came. */
export interface HostCall {
  /** Method and path below the API. */
  readonly route: string
  readonly authorization: string
  // eslint-disable-next-line typescript/no-explicit-any -- A test reads what it expects and fails on another.
  readonly body: any
}

export { addGithubApp } from '#/fake-github/add-app.ts'

interface App {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly owner: string
}

interface Installation {
  id: number
  readonly app: number
  readonly account: string
  readonly repositories: readonly string[]
  readonly permissions: Readonly<Record<string, string>>
}

interface Token {
  readonly repository: string
  readonly permissions: Readonly<Record<string, string>>
  readonly expires: number
}

/** GitHub as far as its Apps and its private repositories go, over HTTPS on loopback. */
export interface FakeGitHub extends AsyncDisposable {
  readonly server: GitHubServer
  readonly git: GitServer
  /** Requests for the API in order. */
  readonly calls: HostCall[]
  /** What was posted to register apps. */
  readonly manifests: Array<Readonly<Record<string, unknown>>>
  /** Every private key and token that was handed out. */
  readonly secrets: readonly string[]
  /** An app that is registered already. */
  makeApp(): App & { readonly pem: string; readonly url: string }
  /** Installs it on repositories of an account, with all that it asked for. */
  install(
    app: number,
    account: string,
    repositories: readonly string[],
    permissions?: Readonly<Record<string, string>>,
  ): Installation
  uninstall(id: number): void
  /** What the next requests whose route contains the text are answered with, once each. */
  refuse(text: string, status: number, message: string): void
  /** How long a token lives, in seconds. */
  termSeconds: number
  /** Repositories that everybody reads. */
  readonly public: Set<string>
}

const ALL = {
  actions: 'read',
  checks: 'read',
  contents: 'write',
  metadata: 'read',
  pull_requests: 'write',
  workflows: 'write',
}

export async function startFakeGitHub(
  repositories: readonly string[],
  clock: Clock = systemClock,
): Promise<FakeGitHub> {
  const apps: App[] = []
  const installations: Installation[] = []
  let lastInstallation = 70_000
  const codes = new Map<string, App>()
  const tokens = new Map<string, Token>()
  const refusals: Array<{ readonly text: string; readonly status: number; readonly message: string }> = []
  const [calls, manifests, secrets]: [HostCall[], Array<Record<string, unknown>>, string[]] = [[], [], []]
  const makeApp = (name: string, owner: string): App => {
    const app = { id: 4000 + apps.length, slug: name.toLowerCase().replace(/ /g, '-'), name, owner }
    apps.push(app)
    return app
  }
  const urlOf = ({ slug }: App): string => `${new URL(git.urlOf('x')).origin}/apps/${slug}`
  /** A person who agrees to the manifest that was posted. */
  const agree = (path: string, state: string, body: string): Answer => {
    const manifest = JSON.parse(new URLSearchParams(body).get('manifest') ?? '') as Record<string, unknown> // Compared by the test.
    manifests.push(manifest)
    const owner = /^\/organizations\/([^/]+)\//.exec(path)?.[1] ?? 'somebody'
    const code = randomBytes(10).toString('hex')
    codes.set(code, makeApp(String(manifest['name']), owner))
    const location = `${String(manifest['redirect_url'])}?code=${code}&state=${state}`
    return { status: 302, headers: { location } }
  }
  const convert = (code: string): Answer => {
    const app = codes.get(code)
    codes.delete(code)
    if (!app) return refusal(404, 'Not Found')
    const { pem } = appKeys()
    secrets.push(pem)
    const { id, slug, name, owner } = app
    const body = { id, slug, name, owner: { login: owner }, html_url: urlOf(app), pem, client_secret: 'x' }
    return { status: 201, body }
  }
  const makeToken = (app: number, id: number, wish: HostCall['body']): Answer => {
    const installed = installations.find((one) => one.id === id && one.app === app)
    if (!installed) return refusal(404, 'Not Found')
    const [repository = ''] = wish.repositories as readonly string[]
    if (wish.repositories.length !== 1 || !installed.repositories.includes(repository))
      return refusal(
        422,
        'There is at least one repository that is not accessible to the parent installation.',
      )
    const wanted = Object.entries(wish.permissions as Readonly<Record<string, string>>)
    if (!wanted.every(([name, level]) => [level, 'write'].includes(installed.permissions[name] ?? '')))
      return refusal(422, 'The permissions requested are not granted to this installation.')
    const token = `ghs_${randomBytes(18).toString('hex')}`
    const expires = clock.now().getTime() + fake.termSeconds * 1000
    secrets.push(token)
    tokens.set(token, {
      repository: `${installed.account}/${repository}`,
      permissions: wish.permissions,
      expires,
    })
    return {
      status: 201,
      body: { token, expires_at: new Date(expires).toISOString(), permissions: wish.permissions },
    }
  }
  const listed = (app: number, query: URLSearchParams): Answer => {
    const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))]
    const own = installations.filter((one) => one.app === app).slice((page - 1) * size, page * size)
    const shown = own.map(({ id, account }) => ({
      id,
      account: { login: account },
      repository_selection: 'selected',
      suspended_at: null,
      updated_at: '2026-01-02T03:04:05Z',
    }))
    return { status: 200, body: shown }
  }
  const askedAsApp = (app: number, method: string, url: URL, body: unknown): Answer => {
    const path = url.pathname.slice(API.length)
    if (method === 'GET' && path === '/app/installations') return listed(app, url.searchParams)
    const [, owner, repo] = /^\/repos\/([^/]+)\/([^/]+)\/installation$/.exec(path) ?? []
    const found = installations.find(
      (one) => one.app === app && one.account === owner && one.repositories.includes(repo ?? ''),
    )
    if (method === 'GET' && repo)
      return found ? { status: 200, body: { id: found.id } } : refusal(404, 'Not Found')
    const id = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path)?.[1]
    return method === 'POST' && id ? makeToken(app, Number(id), body) : refusal(404, 'Not Found')
  }
  const api = (request: IncomingMessage, url: URL, text: string): Answer => {
    const [method, authorization] = [request.method ?? '', request.headers.authorization ?? '']
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    const route = `${method} ${url.pathname.slice(API.length)}`
    calls.push({ route, authorization, body })
    const at = refusals.findIndex((one) => route.includes(one.text))
    const [ordered] = at < 0 ? [] : refusals.splice(at, 1)
    if (ordered) return refusal(ordered.status, ordered.message)
    const code = /^POST \/app-manifests\/([^/]+)\/conversions$/.exec(route)?.[1]
    if (code !== undefined) return convert(code)
    const app = appOf(authorization, clock.now())
    const isKnown = app !== undefined && apps.some(({ id }) => id === app)
    return isKnown
      ? askedAsApp(app, method, url, body)
      : refusal(401, 'A JSON web token could not be decoded')
  }
  /** Whether Git may read the repository. */
  const mayRead = (path: string, authorization = ''): boolean => {
    const repository = /^\/(.+?)\.git\//.exec(path)?.[1] ?? ''
    if (fake.public.has(repository)) return authorization === ''
    const [, text = ''] = /^Basic (\S+)$/.exec(authorization) ?? []
    const [user, password = ''] = Buffer.from(text, 'base64').toString('utf8').split(':')
    const token = user === 'x-access-token' ? tokens.get(password) : undefined
    const isFor = token?.repository === repository && token.permissions['contents'] === 'read'
    return isFor && token.expires > clock.now().getTime()
  }
  const beside = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const url = new URL(request.url ?? '/', 'https://127.0.0.1')
    const { pathname } = url
    if (pathname.startsWith(API)) return sent(response, api(request, url, await textOf(request)))
    if (pathname.endsWith('/settings/apps/new'))
      return sent(response, agree(pathname, url.searchParams.get('state') ?? '', await textOf(request)))
    if (pathname.startsWith('/apps/')) return sent(response, { status: 200, body: 'installation' })
    if (mayRead(pathname, request.headers.authorization)) return false
    return sent(response, { status: 401, headers: { 'www-authenticate': 'Basic' } })
  }
  const git = await startGitServer(repositories, undefined, beside)
  const { origin } = new URL(git.urlOf('x'))
  const ca = readFileSync(git.caFile, 'utf8')
  const fake: FakeGitHub = {
    server: { web: origin, api: `${origin}${API}`, fetch: trustingFetch(ca) },
    git,
    calls,
    manifests,
    secrets,
    public: new Set(),
    termSeconds: 3600,
    makeApp: () => {
      const app = makeApp('Fleet', 'acme')
      return { ...app, pem: appKeys().pem, url: urlOf(app) }
    },
    install: (app, account, repos, permissions = ALL) => {
      const one = { id: (lastInstallation += 1), app, account, repositories: repos, permissions }
      installations.push(one)
      return one
    },
    uninstall: (id) =>
      void installations.splice(
        installations.findIndex((one) => one.id === id),
        1,
      ),
    refuse: (text, status, message) => void refusals.push({ text, status, message }),
    [Symbol.asyncDispose]: () => git[Symbol.asyncDispose](),
  }
  return fake
}

const API = '/api/v3'

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const refusal = (status: number, message: string): Answer => ({ status, body: { message } })

function sent(response: ServerResponse, { status, headers = {}, body }: Answer): true {
  const text = body === undefined ? '' : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(text)
  return true
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // No encoding is set.
  return Buffer.concat(chunks).toString('utf8')
}
