import { fail } from '@fleet/contract'
import type { Secret } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { AppIdentity } from '#/github/host.ts'
import { findApp, type GithubAppRow } from '#/github/queries.ts'

const placeOf = (appId: number) => ({ table: 'github_apps', column: 'private_key', row: String(appId) })

export const sealKey = ({ cipher }: Pick<Store, 'cipher'>, appId: number, key: Secret): string =>
  cipher.seal(placeOf(appId), key)

/** With its private key opened. */
export const identityOf = (
  { cipher }: Pick<Store, 'cipher'>,
  { app_id, private_key }: Pick<GithubAppRow, 'app_id' | 'private_key'>,
): AppIdentity => ({ appId: app_id, privateKey: cipher.open(placeOf(app_id), private_key) })

/** Throws `github.app_missing`. */
export async function requireApp({ db }: Pick<Store, 'db'>): Promise<GithubAppRow> {
  const app = await findApp(db)
  if (!app) throw fail('github.app_missing')
  return app
}
