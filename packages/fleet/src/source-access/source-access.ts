import type { NodeSession } from '#/nodes/api.ts'

/** What the web server of a Node may read of development sources. */
export interface SourceAccess {
  /**
   * The web server reads exactly what the records serve of this checkout and of served checkouts within it: their web roots and
   * public storage, and nothing else (SRC-001 to SRC-010). Without a Route it has no access left. One round trip; may be repeated.
   * Throws `app-dev.source_access_failed` with the step `source-access`, after the previous permissions are restored.
   */
  apply(session: NodeSession, checkoutPath: string): Promise<AccessApplied>
  /**
   * Whether a web root of a checkout could be served: changes nothing. Throws `app-dev.source_access_failed` for one that is missing
   * or has a link (RTE-135).
   */
  check(
    session: NodeSession,
    source: { readonly checkoutPath: string; readonly webRoot: string },
  ): Promise<void>
  /**
   * The web server reads these web roots of a release and nothing else of it, whatever is selected. The session is that of the
   * production user. Throws `app-prod.web_root_invalid` for a missing web root and one with a link (RTE-136), and
   * `app-dev.source_access_failed`.
   */
  open(session: NodeSession, release: ServedRelease): Promise<AccessApplied>
}

/** A release of a production Instance, or, to close them, the folder of all of them. */
export interface ServedRelease {
  /** Absolute. */
  readonly checkoutPath: string
  /** Relative to it. */
  readonly webRoots: readonly string[]
  /** Of the production user. */
  readonly home: string
}

export interface AccessApplied {
  /** Sentences for the operator: entries of a web root that stay unreadable (SRC-009). */
  readonly warnings: readonly string[]
}
