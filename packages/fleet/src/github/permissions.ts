/** What a token is made for. */
export type TokenUse = 'read' | 'publish' | 'checks' | 'branches' | 'artifacts'

/** What the token of each use may do, and nothing else (PRX-016). One permission that is refused refuses the whole token. */
export const PERMISSIONS = {
  read: { contents: 'read' },
  publish: { contents: 'write', pull_requests: 'write', workflows: 'write' },
  checks: { checks: 'read' },
  branches: { pull_requests: 'read' },
  artifacts: { actions: 'read' },
} as const satisfies Record<TokenUse, Readonly<Record<string, 'read' | 'write'>>>
