import { Secret } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { FakeGitHub } from '#/fake-github/fake-github.ts'

/** An app that is registered at GitHub and stored in the gateway. Answers its number at GitHub. */
export async function addGithubApp({ db, cipher }: Store, host: FakeGitHub): Promise<number> {
  const { id, slug, name, owner, url, pem } = host.makeApp()
  const place = { table: 'github_apps', column: 'private_key', row: String(id) }
  const row = { id: 1, app_id: id, slug, name, owner, url, created_at: '2026-01-01T00:00:00.000Z' }
  const private_key = cipher.seal(place, new Secret(pem))
  await db
    .insertInto('github_apps')
    .values({ ...row, private_key })
    .execute()
  return id
}
