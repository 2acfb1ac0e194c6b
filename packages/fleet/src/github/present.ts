import type { GithubAppData } from '@fleet/contract'
import type { GithubAppRow } from '#/github/queries.ts'

/** Without its private key. */
export const presentApp = ({ app_id, slug, name, owner, url, created_at }: GithubAppRow): GithubAppData => ({
  id: app_id,
  slug,
  name,
  owner,
  url,
  created_at,
})

/** The page at GitHub that installs an app. */
export const installationPage = ({ url }: Pick<GithubAppRow, 'url'>): string => `${url}/installations/new`
