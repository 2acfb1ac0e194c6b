/** GitHub as this gateway reaches it. */
export interface GitHubServer {
  /** Origin of its pages and repositories. */
  readonly web: string
  /** Base URL of its API. */
  readonly api: string
  /** Sends a request to it. */
  readonly fetch: typeof fetch
}

/** Where GitHub is unless something else is said. */
export const GITHUB = { web: 'https://github.com', api: 'https://api.github.com' } as const
