import { randomBytes } from 'node:crypto'
import type { Clock } from '@fleet/kernel'
import { appKeys } from '#/fake-github/app-keys.ts'

/** What is sent back. */
export interface HostAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const refusal = (status: number, message: string): HostAnswer => ({ status, body: { message } })

type Permissions = Readonly<Record<string, string>>

export interface HostApp {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly owner: string
}

export interface Installation {
  readonly id: number
  readonly app: number
  readonly account: string
  readonly repositories: readonly string[]
  readonly permissions: Permissions
}

/** Body of a request for a token. */
export interface TokenWish {
  readonly repositories: readonly string[]
  readonly permissions: Permissions
}

interface Token {
  readonly repository: string
  readonly permissions: Permissions
  readonly expires: number
}

/** Apps, installations and tokens of one GitHub, and what it answers about them. */
export class HostRecords {
  readonly secrets: string[] = []
  readonly public = new Set<string>()
  readonly #clock: Clock
  readonly #web: () => string
  readonly #apps: HostApp[] = []
  readonly #codes = new Map<string, HostApp>()
  readonly #tokens = new Map<string, Token>()
  #installations: readonly Installation[] = []
  #lastInstallation = 70_000
  termSeconds = 3600

  constructor(clock: Clock, web: () => string) {
    this.#clock = clock
    this.#web = web
  }

  makeApp(name: string, owner: string): HostApp {
    const app = {
      id: 4000 + this.#apps.length,
      slug: name.toLowerCase().replaceAll(' ', '-'),
      name,
      owner,
    }
    this.#apps.push(app)
    return app
  }

  knows(app: number | undefined): app is number {
    return this.#apps.some(({ id }) => id === app)
  }

  urlOf({ slug }: HostApp): string {
    return `${this.#web()}/apps/${slug}`
  }

  /** A one-time code for an app that a person has agreed to. */
  codeFor(app: HostApp): string {
    const code = randomBytes(10).toString('hex')
    this.#codes.set(code, app)
    return code
  }

  install(given: Omit<Installation, 'id'>): Installation {
    this.#lastInstallation += 1
    const one = { id: this.#lastInstallation, ...given }
    this.#installations = [...this.#installations, one]
    return one
  }

  uninstall(id: number): void {
    this.#installations = this.#installations.filter((one) => one.id !== id)
  }

  convert(code: string): HostAnswer {
    const app = this.#codes.get(code)
    this.#codes.delete(code)
    if (!app) return refusal(404, 'Not Found')
    const { pem } = appKeys()
    this.secrets.push(pem)
    const { id, slug, name, owner } = app
    const html_url = this.urlOf(app)
    return {
      status: 201,
      body: { id, slug, name, owner: { login: owner }, html_url, pem, client_secret: 'x' },
    }
  }

  listed(app: number, { size, page }: { readonly size: number; readonly page: number }): HostAnswer {
    const own = this.#installations.filter((one) => one.app === app).slice((page - 1) * size, page * size)
    const body = own.map(({ id, account }) => ({
      id,
      account: { login: account },
      repository_selection: 'selected',
      suspended_at: null,
      updated_at: '2026-01-02T03:04:05Z',
    }))
    return { status: 200, body }
  }

  covering(app: number, owner: string, repo: string): HostAnswer {
    const found = this.#installations.find(
      (one) => one.app === app && one.account === owner && one.repositories.includes(repo),
    )
    return found ? { status: 200, body: { id: found.id } } : refusal(404, 'Not Found')
  }

  makeToken(app: number, id: number, { repositories, permissions }: TokenWish): HostAnswer {
    const installed = this.#installations.find((one) => one.id === id && one.app === app)
    if (!installed) return refusal(404, 'Not Found')
    const [repository = '', ...others] = repositories
    if (others.length > 0 || !installed.repositories.includes(repository))
      return refusal(422, 'There is at least one repository that is not accessible to the installation.')
    const isGranted = ([name, level]: readonly [string, string]): boolean =>
      [level, 'write'].includes(installed.permissions[name] ?? '')
    if (!Object.entries(permissions).every(isGranted))
      return refusal(422, 'The permissions requested are not granted to this installation.')
    const token = `ghs_${randomBytes(18).toString('hex')}`
    const expires = this.#clock.now().getTime() + this.termSeconds * 1000
    this.secrets.push(token)
    this.#tokens.set(token, { repository: `${installed.account}/${repository}`, permissions, expires })
    return { status: 201, body: { token, expires_at: new Date(expires).toISOString(), permissions } }
  }

  /** Whether Git may read it; a public one is read without a credential alone. */
  mayRead(repository: string, authorization = ''): boolean {
    if (this.public.has(repository)) return authorization === ''
    const [, text = ''] = /^Basic (\S+)$/.exec(authorization) ?? []
    const [user, password = ''] = Buffer.from(text, 'base64').toString('utf8').split(':')
    const token = user === 'x-access-token' ? this.#tokens.get(password) : undefined
    const isFor = token?.repository === repository && token.permissions['contents'] === 'read'
    return isFor && token.expires > this.#clock.now().getTime()
  }
}
