import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeAppConfirm } from '#/github/app-confirm.ts'
import { makeAppDestroy } from '#/github/app-destroy.ts'
import { makeAppInstall } from '#/github/app-install.ts'
import { makeAppRegister } from '#/github/app-register.ts'
import { makeAppShow } from '#/github/app-show.ts'
import type { GitHubServer } from '#/github/ports.ts'
import { makeRepositoryTokens, type RepositoryTokens } from '#/github/repository-tokens.ts'
import type { HandlersOf } from '#/handler.ts'

export interface GitHubDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly github: GitHubServer
}

export interface GitHubDomain {
  readonly handlers: HandlersOf<`github:app:${'install' | 'show' | 'destroy' | 'register' | 'confirm'}`>
  readonly tokens: RepositoryTokens
}

/** The GitHub App of the gateway: its registration, who has installed it, and what it logs in with. */
export const makeGitHub = (deps: GitHubDeps): GitHubDomain => ({
  handlers: {
    'github:app:install': makeAppInstall(deps),
    'github:app:show': makeAppShow(deps),
    'github:app:destroy': makeAppDestroy(deps.store),
    'github:app:register': makeAppRegister(deps),
    'github:app:confirm': makeAppConfirm(deps),
  },
  tokens: makeRepositoryTokens(deps),
})
