import * as z from 'zod'
import { time } from '../params.ts'

/** What the app may do at GitHub, as its registration asks for it. */
export const githubAppPermissions = {
  actions: 'read',
  checks: 'read',
  contents: 'write',
  metadata: 'read',
  pull_requests: 'write',
  workflows: 'write',
} as const

/** The GitHub App of a gateway. */
export const githubApp = z.strictObject({
  id: z.int(),
  slug: z.string(),
  name: z.string(),
  /** Account that it belongs to. */
  owner: z.string(),
  /** Its page at GitHub. */
  url: z.string(),
  created_at: time,
})
export type GithubAppData = z.output<typeof githubApp>

/** An account that has installed the app, as GitHub lists it at this moment. */
export const githubInstallation = z.strictObject({
  id: z.int(),
  account: z.string(),
  /** Whether it covers all repositories of the account, or those that were selected there. */
  repositories: z.enum(['all', 'selected']),
  is_suspended: z.boolean(),
  updated_at: time,
})
export type GithubInstallationData = z.output<typeof githubInstallation>

/** The app with its installations, by id. */
export const githubAppDetail = z.strictObject({
  ...githubApp.shape,
  installations: z.array(githubInstallation),
})

/** Where a person continues in a browser. */
export const githubAppInstallation = z.strictObject({
  /** Null until the app is registered. */
  app: githubApp.nullable(),
  /** The page to open: at GitHub, or of the gateway, then relative to its origin. */
  page: z.string(),
  /** When the page no longer works; null for one that keeps working. */
  expires_at: time.nullable(),
})

/** What a page of the registration shows: the manifest with the button that posts it, or nothing on the way to another page. */
export const githubPage = z.discriminatedUnion('shows', [
  z.strictObject({
    shows: z.literal('manifest'),
    /** Where it is posted to. */
    action: z.string(),
    /** Without the addresses of this gateway, which are those that the browser knows it by. */
    manifest: z.strictObject({
      name: z.string(),
      public: z.boolean(),
      default_events: z.array(z.string()),
      default_permissions: z.record(z.string(), z.string()),
    }),
    /** Organization that the app will belong to. */
    owner: z.string().nullable(),
  }),
  z.strictObject({ shows: z.literal('redirect'), location: z.string() }),
])
export type GithubPage = z.output<typeof githubPage>

/** Path below the API prefix to which GitHub sends the browser back. */
export const GITHUB_CONFIRMATION_PATH = '/github/app/registration/confirmation'
