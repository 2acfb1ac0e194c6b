import { fail } from '@fleet/contract'
import { type Clock, Secret } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import * as z from 'zod'
import type { Call } from '#/call.ts'
import { askHost, HostRefusal } from '#/github/host.ts'
import type { GitHubServer } from '#/github/ports.ts'
import { installationPage } from '#/github/present.ts'
import { deleteRegistration, insertApp } from '#/github/queries.ts'
import { digestOf, requireRegistration } from '#/github/registration.ts'
import { sealKey } from '#/github/stored-app.ts'
import type { Handler } from '#/handler.ts'

export interface ConfirmDeps {
  readonly store: Store
  readonly clock: Clock
  readonly github: GitHubServer
}

/** Exchanges the one-time code for the app and stores it, once for each registration. */
export const makeAppConfirm =
  (deps: ConfirmDeps): Handler<'github:app:confirm'> =>
  async ({ call, input: { state, code } }) => {
    const { store, clock } = deps
    await requireRegistration(deps, state)
    const { id, slug, name, owner, html_url: url, pem } = await exchanged(deps, call, code)
    const row = {
      app_id: id,
      slug,
      name,
      owner: owner.login,
      url,
      private_key: sealKey(store, id, pem),
      created_at: clock.now().toISOString(),
    }
    await store.transaction(async (db) => {
      const isFirst = (await deleteRegistration(db, digestOf(state))) && (await insertApp(db, row))
      if (!isFirst) throw fail('github.registration_invalid')
    })
    return { data: { shows: 'redirect', location: installationPage(row) } }
  }

const converted = z.object({
  id: z.int(),
  slug: z.string().min(1),
  name: z.string().min(1),
  owner: z.object({ login: z.string().min(1) }),
  html_url: z.string(),
  pem: z.string().transform((pem) => new Secret(pem)),
})

/** Throws `github.registration_failed`, and `github.unavailable` where nobody answers. */
async function exchanged(deps: ConfirmDeps, call: Call, code: string): Promise<z.output<typeof converted>> {
  const question = {
    route: 'POST /app-manifests/{code}/conversions',
    parameters: { code },
    answer: converted,
  }
  try {
    const app = await askHost(deps, call, question)
    // The browser is sent there.
    if (URL.parse(app.html_url)?.origin === new URL(deps.github.web).origin) return app
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    const { status: host_status, reason } = error
    throw fail('github.registration_failed', { details: { host_status, reason } })
  }
  throw fail('github.registration_failed')
}
