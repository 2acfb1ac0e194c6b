import { fail } from '@fleet/contract'
import { type Clock, maskText, type Secret, within } from '@fleet/kernel'
import { request } from '@octokit/request'
import appJwt from 'universal-github-app-jwt'
import * as z from 'zod'
import type { Call } from '#/call.ts'
import type { GitHubServer } from '#/github/ports.ts'

export interface HostDeps {
  readonly github: GitHubServer
  readonly clock: Clock
}

/** An app as it proves itself. */
export interface AppIdentity {
  readonly appId: number
  readonly privateKey: Secret
}

/** GitHub answered and refused. */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal'
  readonly status: number
  /** What it said, masked and cut. */
  readonly reason: string
  constructor(status: number, reason: string) {
    super(`GitHub answered with status ${status}`)
    this.status = status
    this.reason = reason
  }
}

const TIMEOUT_MILLISECONDS = 20_000
const REASON_MAX = 300

/**
 * One request to the API of GitHub, as the app or as nobody. Throws HostRefusal, and `github.unavailable` for a host that does not
 * answer or answers something else. What it sent and got never reaches an error.
 */
export async function askHost<T extends z.ZodType>(
  deps: HostDeps,
  call: Call,
  { route, parameters = {}, as, answer }: Question<T>,
): Promise<z.output<T>> {
  const authorization = as ? { authorization: `bearer ${await tokenOfApp(deps, as)}` } : {}
  const ending = new AbortController()
  const asked = send(deps, route, {
    ...parameters,
    headers: { ...authorization, 'user-agent': 'fleet', 'x-github-api-version': '2022-11-28' },
    request: { signal: AbortSignal.any([call.signal, ending.signal]) },
  })
  asked.catch(() => undefined)
  try {
    const answered = await within(deps.clock, TIMEOUT_MILLISECONDS, asked)
    if (!answered.inTime) throw unavailable(deps, 'does not answer in time')
    const parsed = answer.safeParse(answered.value)
    if (!parsed.success) throw unavailable(deps, 'answers what GitHub does not')
    return parsed.data
  } finally {
    ending.abort()
  }
}

interface Question<T extends z.ZodType> {
  /** Method and path, with `{name}` for parameters. */
  readonly route: string
  readonly parameters?: Readonly<Record<string, unknown>>
  /** The app that asks; nobody when absent. */
  readonly as?: AppIdentity | undefined
  /** What is used of the answer. */
  readonly answer: T
}

/** `github.unavailable`, with what is wrong with the host. */
export const unavailable = (
  { github }: Pick<HostDeps, 'github'>,
  what: string,
  details: Readonly<Record<string, unknown>> = {},
): Error =>
  fail('github.unavailable', {
    message: `${new URL(github.api).host} ${what}. When it can be used again, repeat the request.`,
    details: { host: new URL(github.api).host, ...details },
  })

/** The same for a host that refused, whose words are quoted (PRX-018). */
export const refused = (
  { github }: Pick<HostDeps, 'github'>,
  { status, reason }: HostRefusal,
  what: string,
  help: string,
): Error =>
  fail('github.unavailable', {
    message: `${new URL(github.api).host} refuses ${what} with status ${status}: “${reason}”. ${help}`,
    details: { host: new URL(github.api).host, host_status: status, reason },
  })

/** Where the app itself is refused. */
export const CREDENTIAL_HELP =
  'If the app was deleted there, run `fleet github:app:destroy` and register another one with `fleet github:app:install`.'

/** Valid for at most ten minutes. */
async function tokenOfApp({ clock }: HostDeps, { appId, privateKey }: AppIdentity): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000)
  return (await appJwt({ id: appId, privateKey: privateKey.reveal(), now })).token
}

async function send(
  deps: HostDeps,
  route: string,
  given: Readonly<Record<string, unknown>> & { readonly request: { readonly signal: AbortSignal } },
): Promise<unknown> {
  const { api: baseUrl, fetch } = deps.github
  try {
    const answer: { readonly data: unknown } = await request(route, {
      ...given,
      baseUrl,
      // What it has to say about deprecated paths would go to the console.
      request: { ...given.request, fetch, log: SILENT },
    })
    return answer.data
  } catch (error) {
    const answered = REFUSED.safeParse(error)
    if (!answered.success) throw unavailable(deps, 'does not answer the gateway')
    const { status, response } = answered.data
    throw new HostRefusal(status, reasonOf(response.data))
  }
}

const silent = (): void => undefined
const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

/** An error of the library for an answer; one without an answer has no response. */
const REFUSED = z.object({ status: z.int(), response: z.object({ data: z.unknown() }) })
const SAID = z.object({ message: z.string() })

const reasonOf = (body: unknown): string => {
  const said = SAID.safeParse(body)
  const text = said.success ? said.data.message.replace(/[\p{Cc}\s]+/gu, ' ').trim() : ''
  return text === '' ? 'no reason given' : maskText(text.slice(0, REASON_MAX))
}
