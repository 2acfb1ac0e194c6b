import { type Clock, Secret } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import * as z from 'zod'
import type { Call } from '#/call.ts'
import {
  type AppIdentity,
  askHost,
  askHostOnce,
  clockHelp,
  CREDENTIAL_HELP,
  HostRefusal,
  refused,
  unavailable,
} from '#/github/host.ts'
import { PERMISSIONS, type TokenUse } from '#/github/permissions.ts'
import type { GitHubServer } from '#/github/ports.ts'
import { installationPage } from '#/github/present.ts'
import { findApp } from '#/github/queries.ts'
import { identityOf } from '#/github/stored-app.ts'

export interface TokenDeps {
  readonly store: Store
  readonly clock: Clock
  readonly github: GitHubServer
}

/** What one operation works with at GitHub. */
export interface RepositoryToken {
  /** The repository over HTTPS: the token is for this server alone. */
  readonly url: string
  readonly token: Secret
}

/** Tokens of the GitHub App, each for one operation and one repository. */
export interface RepositoryTokens {
  /**
   * Undefined for a repository elsewhere, for one that no installation of the app covers, and without an app (PRX-018). `identity`
   * is `host/path`. Nothing keeps the token. Throws `github.unavailable`.
   */
  tokenFor(call: Call, identity: string, use: TokenUse): Promise<RepositoryToken | undefined>
}

interface Repository {
  readonly owner: string
  readonly repo: string
}

interface Wish {
  readonly repository: Repository
  readonly use: TokenUse
  readonly as: AppIdentity
}

/** Of the uses alone that are repeated by the minute; all others ask who has installed the app each time (PRX-019). */
const CACHED: ReadonlySet<TokenUse> = new Set(['branches'])

export function makeRepositoryTokens(deps: TokenDeps): RepositoryTokens {
  const { store, github } = deps
  const cached = new Map<string, number>()
  const installationFor = async (call: Call, wish: Wish): Promise<number | undefined> => {
    const known = CACHED.has(wish.use) ? cached.get(keyOf(wish)) : undefined
    const id = known ?? (await findInstallation(deps, call, wish))
    if (id !== undefined && CACHED.has(wish.use)) cached.set(keyOf(wish), id)
    return id
  }
  const tokenOf = async (call: Call, wish: Wish): Promise<Secret | undefined> => {
    const id = await installationFor(call, wish)
    return id === undefined ? undefined : makeToken(deps, call, wish, id)
  }
  return {
    tokenFor: async (call, identity, use) => {
      const repository = repositoryAt(github, identity)
      const app = repository && (await findApp(store.db))
      if (!app) return undefined
      const wish: Wish = { repository, use, as: identityOf(store, app) }
      try {
        const token = await tokenOf(call, wish).catch((error: unknown) => {
          if (!isOutdated(error)) throw error
          cached.delete(keyOf(wish))
          return tokenOf(call, wish)
        })
        return token && { url: `${github.web}/${repository.owner}/${repository.repo}.git`, token }
      } catch (error) {
        if (!(error instanceof HostRefusal)) throw error
        const { owner, repo } = repository
        throw refused(deps, error, `a token for ${owner}/${repo}`, helpFor(error, app))
      }
    },
  }
}

const keyOf = ({ as, repository }: Wish): string => `${as.appId} ${repository.owner}/${repository.repo}`

/** The installation is another one by now. */
const isOutdated = (error: unknown): boolean =>
  error instanceof HostRefusal && (error.status === 401 || error.status === 404)

const helpFor = ({ status }: HostRefusal, app: { readonly url: string }): string =>
  status === 401
    ? CREDENTIAL_HELP
    : `The owner of the repository decides what the app may do: ${installationPage(app)}`

/** Undefined for what is no repository of this host. */
function repositoryAt({ web }: GitHubServer, identity: string): Repository | undefined {
  const [host, owner, repo, ...rest] = identity.split('/')
  const isHere = host === new URL(web).hostname && rest.length === 0
  return isHere && owner && repo ? { owner, repo } : undefined
}

/** The installation that covers the repository; undefined where none does. */
async function findInstallation(
  deps: TokenDeps,
  call: Call,
  { repository, as }: Wish,
): Promise<number | undefined> {
  try {
    const question = {
      route: 'GET /repos/{owner}/{repo}/installation',
      parameters: { ...repository },
      as,
      answer: z.object({ id: z.int() }),
    }
    return (await askHost(deps, call, question)).id
  } catch (error) {
    if (error instanceof HostRefusal && error.status === 404) return undefined
    throw error
  }
}

const made = z.object({ token: z.string().regex(/^[\x21-\x7e]+$/), expires_at: z.iso.datetime() })

/** An hour, and what clocks may differ by. */
const TERM_MAX_MILLISECONDS = 3_600_000 + 60_000

async function makeToken(
  deps: TokenDeps,
  call: Call,
  { repository, use, as }: Wish,
  installation: number,
): Promise<Secret> {
  const question = {
    route: 'POST /app/installations/{installation}/access_tokens',
    parameters: { installation, repositories: [repository.repo], permissions: PERMISSIONS[use] },
    as,
    answer: made,
  }
  const { data, clockAheadSeconds: ahead } = await askHostOnce(deps, call, question)
  const { token, expires_at } = data
  if (new Date(expires_at).getTime() - deps.clock.now().getTime() > TERM_MAX_MILLISECONDS) {
    const help = ahead === undefined ? undefined : clockHelp(deps, ahead)
    throw unavailable(deps, 'gives a token that is valid for more than an hour', help)
  }
  return new Secret(token)
}
