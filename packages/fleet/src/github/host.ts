import { fail } from '@fleet/contract'
import { type Clock, clockAheadSeconds, clockApart, maskText, type Secret, within } from '@fleet/kernel'
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
  /** Where it refuses a credential that may be one of another time: how far its clock is ahead, negative where it is behind. */
  readonly clockAheadSeconds: number | undefined
  constructor(status: number, reason: string, clockAhead: number | undefined) {
    super(`GitHub answered with status ${status}`)
    this.status = status
    this.reason = reason
    this.clockAheadSeconds = status === 401 ? clockAhead : undefined
  }
}

const TIMEOUT_MILLISECONDS = 20_000
const REASON_MAX = 300

/**
 * One request to the API of GitHub, as the app or as nobody. Throws HostRefusal, and `github.unavailable` for a host that does not
 * answer or answers something else. What it sent and got never reaches an error.
 */
export const askHost = async <T extends z.ZodType>(
  deps: HostDeps,
  call: Call,
  question: Question<T>,
): Promise<z.output<T>> => (await askHostOnce(deps, call, question)).data

/** The same, with how far the clock of the host is ahead of the gateway's where they differ. */
export async function askHostOnce<T extends z.ZodType>(
  deps: HostDeps,
  call: Call,
  { route, parameters = {}, as, answer }: Question<T>,
): Promise<{ readonly data: z.output<T>; readonly clockAheadSeconds: number | undefined }> {
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
    const { data, date } = answered.value
    const parsed = answer.safeParse(data)
    if (!parsed.success) throw unavailable(deps, 'answers what GitHub does not')
    return { data: parsed.data, clockAheadSeconds: clockOf(deps, date) }
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
  help = 'When it can be used again, repeat the request.',
): Error =>
  fail('github.unavailable', {
    message: `${new URL(github.api).host} ${what}. ${help}`,
    details: { host: new URL(github.api).host },
  })

/** GitHub bounds what is signed, and what it gives, to minutes of its own time. */
const clockOf = ({ clock }: Pick<HostDeps, 'clock'>, date: string | undefined): number | undefined =>
  clockAheadSeconds(date, clock.now(), { toleratedSeconds: 60 })

/** Advice for a gateway whose clock is why. */
export const clockHelp = ({ github }: Pick<HostDeps, 'github'>, aheadSeconds: number): string =>
  `The clock of ${new URL(github.api).host} is ${clockApart(aheadSeconds)}: set the clock of the gateway (\`timedatectl\` shows whether it is synchronized), then repeat the request.`

/** The same for a host that refused, whose words are quoted (PRX-018). The clocks come first where they may be why. */
export const refused = (
  deps: Pick<HostDeps, 'github'>,
  { status, reason, clockAheadSeconds: ahead }: HostRefusal,
  what: string,
  help: string,
): Error => {
  const { host } = new URL(deps.github.api)
  const advice = ahead === undefined ? help : clockHelp(deps, ahead)
  return fail('github.unavailable', {
    message: `${host} refuses ${what} with status ${status}: “${reason}”. ${advice}`,
    details: { host, host_status: status, reason },
  })
}

/** Where the app itself is refused. */
export const CREDENTIAL_HELP =
  'If the app was deleted there, run `fleet github:app:destroy` and register another one with `fleet github:app:install`.'

/** Valid for at most ten minutes. */
async function tokenOfApp({ clock }: HostDeps, { appId, privateKey }: AppIdentity): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000)
  return (await appJwt({ id: appId, privateKey: privateKey.reveal(), now })).token
}

interface Answered {
  readonly data: unknown
  /** By the clock of the host. */
  readonly date: string | undefined
}

async function send(
  deps: HostDeps,
  route: string,
  given: Readonly<Record<string, unknown>> & { readonly request: { readonly signal: AbortSignal } },
): Promise<Answered> {
  const { api: baseUrl, fetch } = deps.github
  try {
    const answer = await request(route, {
      ...given,
      baseUrl,
      // What it has to say about deprecated paths would go to the console.
      request: { ...given.request, fetch, log: SILENT },
    })
    return { data: answer.data, date: answer.headers.date }
  } catch (error) {
    const answered = REFUSED.safeParse(error)
    if (!answered.success) throw unavailable(deps, 'does not answer the gateway')
    const { status, response } = answered.data
    throw new HostRefusal(status, reasonOf(response.data), clockOf(deps, response.headers.date))
  }
}

const silent = (): void => undefined
const SILENT = { debug: silent, info: silent, warn: silent, error: silent }

const DATED = z.object({ date: z.string().optional() })
/** An error of the library for an answer; one without an answer has no response. */
const REFUSED = z.object({ status: z.int(), response: z.object({ data: z.unknown(), headers: DATED }) })
const SAID = z.object({ message: z.string() })

const reasonOf = (body: unknown): string => {
  const said = SAID.safeParse(body)
  const text = said.success ? said.data.message.replace(/[\p{Cc}\s]+/gu, ' ').trim() : ''
  return text === '' ? 'no reason given' : maskText(text.slice(0, REASON_MAX))
}
