import { LITERALS } from '@fleet/contract'
import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { installationPage, presentApp } from '#/github/present.ts'
import { findApp, putRegistration } from '#/github/queries.ts'
import { digestOf, REGISTRATION_SECONDS } from '#/github/registration.ts'
import type { Handler } from '#/handler.ts'

export interface InstallDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
}

/** Begins a registration in the place of any other; with an app, its installation page. */
export const makeAppInstall =
  ({ store, clock, ids }: InstallDeps): Handler<'github:app:install'> =>
  async ({ input }) => {
    const app = await findApp(store.db)
    if (app) return { data: { app: presentApp(app), page: installationPage(app), expires_at: null } }
    const state = ids.hex(32)
    const expires_at = new Date(clock.now().getTime() + REGISTRATION_SECONDS * 1000).toISOString()
    await putRegistration(store.db, {
      state_digest: digestOf(state),
      name: input.name ?? `fleet-${ids.hex(4)}`,
      owner: input.owner ?? null,
      expires_at,
    })
    const page = `${LITERALS.apiPrefix}/github/app/registration?state=${state}`
    return { data: { app: null, page, expires_at } }
  }
