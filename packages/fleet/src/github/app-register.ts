import { githubAppPermissions } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { GitHubServer } from '#/github/ports.ts'
import { requireRegistration } from '#/github/registration.ts'
import type { Handler } from '#/handler.ts'

export interface RegisterDeps {
  readonly store: Store
  readonly clock: Clock
  readonly github: GitHubServer
}

export const makeAppRegister =
  (deps: RegisterDeps): Handler<'github:app:register'> =>
  async ({ input: { state } }) => {
    const { name, owner } = await requireRegistration(deps, state)
    const account = owner === null ? '' : `/organizations/${encodeURIComponent(owner)}`
    return {
      data: {
        shows: 'manifest',
        action: `${deps.github.web}${account}/settings/apps/new?state=${state}`,
        manifest: {
          name,
          // Anybody's repositories may belong to the fleet, not those of the owner alone (PRX-010).
          public: true,
          default_events: [],
          default_permissions: { ...githubAppPermissions },
        },
        owner,
      },
    }
  }
