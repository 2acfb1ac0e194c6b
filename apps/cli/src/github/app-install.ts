import type { GithubInstallationData } from '@fleet/contract'
import { ApiError } from '@fleet/sdk/core'
import type { Context } from '#/context.ts'
import { isLost } from '#/deployments/follow.ts'
import { ClientError, EXIT, usage } from '#/exit.ts'
import { connect } from '#/gateway/connection.ts'
import { fieldsOf, type GatewayLink, linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { WAIT_SECONDS } from './spec.ts'

/** `fleet github:app:install`: the page that a person has to open, and what came of it. */
export const runAppInstall: LocalRun = async (context, invocation, members) => {
  const { terminal, openPage, newRequestId, environment, onOutcome } = context
  const { globals } = invocation
  const { browser = false, wait = WAIT_SECONDS, ...sent } = members
  const waitSeconds = Number(wait)
  if (waitSeconds < 0) throw usage('--wait must be 0 or more seconds.')
  const { baseUrl } = await connect(environment, globals)
  const link = await linkOf(context, invocation)
  const before = globals.json || waitSeconds === 0 ? undefined : await installationsOf(link)
  const requestId = globals.requestId ?? newRequestId()
  const answer = fieldsOf(await link.ask('github:app:install', sent, { requestId }))
  onOutcome(EXIT.ok)
  const page = pageOf(answer['page'], baseUrl)
  if (globals.json) {
    terminal.out(`${JSON.stringify({ data: { ...answer, page }, meta: { request_id: requestId } })}\n`)
    return
  }
  terminal.out(`${page}\n`)
  terminal.err(
    answer['app'] === null
      ? 'Open this page in a browser of a member of the private network, within an hour: it registers the app at GitHub.\n'
      : 'Open this page in a browser: it installs the app on an account at GitHub.\n',
  )
  const isOpen = browser === true && terminal.outIsTerminal && (await openPage(page))
  if (browser === true && !isOpen) terminal.err('No browser was started. Open the page by hand.\n')
  if (waitSeconds === 0) return
  terminal.err('Waiting until an account has installed it. Ctrl-C ends the waiting and nothing else.\n')
  await followed(context, link, before, waitSeconds)
}

/** An address is given to another program: nothing but a page of the web may be. */
function pageOf(page: unknown, baseUrl: string): string {
  const url = typeof page === 'string' ? URL.parse(page, baseUrl) : null
  if (url?.protocol === 'https:') return url.href
  throw new ClientError('github.page_invalid', 'The gateway answered no page that a browser can open.', {
    exit: EXIT.refused,
  })
}

const EVERY_MILLISECONDS = 3000

type Installations = readonly GithubInstallationData[]

/** Waits for an installation that is new or changed. Throws `github.installation_pending`. */
async function followed(
  { clock, signal, terminal }: Context,
  link: GatewayLink,
  before: Installations | undefined,
  waitSeconds: number,
): Promise<void> {
  let known = before
  const end = clock.ticks() + waitSeconds * 1000
  while (clock.ticks() < end) {
    await clock.sleep(Math.min(EVERY_MILLISECONDS, end - clock.ticks()), signal)
    signal.throwIfAborted()
    const now = await installationsOf(link)
    known ??= now
    const news = (now ?? []).filter((one) => !known?.some((other) => versionOf(other) === versionOf(one)))
    for (const { account, repositories } of news)
      terminal.err(`Installed on ${account}: ${repositories} repositories.\n`)
    if (news.length > 0) return
  }
  throw new ClientError(
    'github.installation_pending',
    `No account has installed the app within ${waitSeconds} seconds. The page still works.`,
    {
      exit: EXIT.refused,
      next: 'Go on in the browser; fleet github:app:show says who has installed the app.',
    },
  )
}

const versionOf = ({ id, updated_at }: GithubInstallationData): string => `${id} ${updated_at}`

/** None while there is no app yet; undefined while GitHub or the gateway does not answer for a moment. */
async function installationsOf(link: GatewayLink): Promise<Installations | undefined> {
  try {
    const { installations } = fieldsOf(await link.ask('github:app:show'))
    return installations as Installations // The gateway answers by this declaration.
  } catch (error) {
    if (isLost(error) || isRefusal(error, 'github.unavailable')) return undefined
    if (isRefusal(error, 'github.app_missing')) return []
    throw error
  }
}

const isRefusal = (error: unknown, code: string): boolean => error instanceof ApiError && error.code === code
