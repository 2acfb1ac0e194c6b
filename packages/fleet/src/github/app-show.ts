import type { GithubInstallationData } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import * as z from 'zod'
import type { Call } from '#/call.ts'
import { type AppIdentity, askHost, CREDENTIAL_HELP, HostRefusal, refused } from '#/github/host.ts'
import type { GitHubServer } from '#/github/ports.ts'
import { presentApp } from '#/github/present.ts'
import { identityOf, requireApp } from '#/github/stored-app.ts'
import type { Handler } from '#/handler.ts'

export interface ShowDeps {
  readonly store: Store
  readonly clock: Clock
  readonly github: GitHubServer
}

const PAGE = 100
const PAGES_MAX = 10

export const makeAppShow =
  (deps: ShowDeps): Handler<'github:app:show'> =>
  async ({ call }) => {
    const app = await requireApp(deps.store)
    const installations = await installationsOf(deps, call, identityOf(deps.store, app))
    return { data: { ...presentApp(app), installations } }
  }

const listed = z.array(
  z.object({
    id: z.int(),
    account: z.object({ login: z.string() }),
    repository_selection: z.enum(['all', 'selected']),
    suspended_at: z.string().nullish(),
    updated_at: z.string(),
  }),
)

/** As they are now, by id. Throws `github.unavailable`. */
async function installationsOf(
  deps: ShowDeps,
  call: Call,
  as: AppIdentity,
): Promise<GithubInstallationData[]> {
  const found: z.output<typeof listed> = []
  try {
    for (let page = 1; page <= PAGES_MAX && found.length === (page - 1) * PAGE; page += 1) {
      const parameters = { per_page: PAGE, page }
      found.push(
        ...(await askHost(deps, call, { route: 'GET /app/installations', parameters, as, answer: listed })),
      )
    }
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    throw refused(deps, error, 'the credential of the app', CREDENTIAL_HELP)
  }
  return found
    .map(({ id, account, repository_selection, suspended_at, updated_at }) => ({
      id,
      account: account.login,
      repositories: repository_selection,
      is_suspended: typeof suspended_at === 'string',
      updated_at,
    }))
    .toSorted((left, right) => left.id - right.id)
}
