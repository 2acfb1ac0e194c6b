import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { activeLogin } from '#/projects/deploy-key-values.ts'
import type { RemoteGit } from '#/projects/ports.ts'
import type { LoginSource } from '#/projects/record.ts'
import { repositoryIdentity } from '#/projects/source-rules.ts'
import type { RepositoryTokens } from '#/github/api.ts'
import { ownLogin, type SourceHosts, type SourceLogin, tokenLogin } from '#/source-host/api.ts'

export interface LoginDeps {
  readonly store: Store
  readonly git: Pick<RemoteGit, 'githubToken'>
  readonly hosts: SourceHosts
  readonly tokens: RepositoryTokens
}

/**
 * The one answer to how Git logs in to the repository of a Project, here and on Nodes: with its active deploy key, else with
 * the login of `gh` where the Project asks for it (PRX-023), else with a token of the GitHub App where that covers the repository,
 * else with what gateway and Node have themselves (PRX-018). Throws `github.cli_unauthenticated`, `github.unavailable` and
 * `git.host_unreachable`.
 */
export async function loginOf(deps: LoginDeps, call: Call, source: LoginSource): Promise<SourceLogin> {
  const { id, repository_url: url, source_access } = source
  const key = id === undefined ? undefined : await activeLogin(deps, id, url)
  if (key) return key
  if (source_access !== 'gh_cli') return (await appLogin(deps, call, url)) ?? ownLogin(url)
  const token = await deps.git.githubToken(call.signal)
  if (!token) throw fail('github.cli_unauthenticated')
  return tokenLogin(overHttps(url), token)
}

async function appLogin(
  { tokens }: Pick<LoginDeps, 'tokens'>,
  call: Call,
  url: string,
): Promise<SourceLogin | undefined> {
  const identity = repositoryIdentity(url)
  const made = identity === undefined ? undefined : await tokens.tokenFor(call, identity, 'read')
  return made && tokenLogin(made.url, made.token)
}

/** The same repository for a token, which no SSH server takes. */
const overHttps = (url: string): string =>
  url.startsWith('https://') ? url : `https://${repositoryIdentity(url) ?? ''}.git`
