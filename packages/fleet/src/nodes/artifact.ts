import type { ArtifactName, ErrorCode } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'
import type { NodeRecord } from '#/nodes/record.ts'
import type { NodeSession } from '#/nodes/session/session.ts'
import { silentCode } from '#/nodes/silent.ts'
import { endsRequest } from '#/perform-steps.ts'

/** Something else that the gateway installs on Nodes and applies again when its own code has changed (NODE-120, NODE-121). */
export interface NodeArtifact {
  readonly name: Exclude<ArtifactName, 'agent'>
  /** Digest of what `converge` would install, from the gateway's own code and pins; undefined for a Node that has none of it. */
  digest(node: NodeRecord): Promise<string | undefined>
  /** `skipped` leaves the Node as it was, with the code of the reason (NODE-122). Throws its own codes and those of NodeSession. */
  converge(session: NodeSession, options: { readonly force: boolean }): Promise<ArtifactResult>
}

export type ArtifactResult = 'applied' | 'unchanged' | Skipped

export interface Skipped {
  readonly skipped: ErrorCode
  /** What was wrong with it, in the words of who refused it. */
  readonly message?: string
  /** What the error names, such as the reason and the path on the Node. */
  readonly details?: Details
}

/** The parts of one artifact, of which none keeps the others from being applied. */
export interface ArtifactParts {
  /** Undefined for a part that is skipped. Throws what is no reason to skip one. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Why the first part was skipped. */
  skipped(): Skipped | undefined
}

export function artifactParts(): ArtifactParts {
  let skipped: Skipped | undefined
  return {
    attempt: async (work) => {
      try {
        return await work()
      } catch (error) {
        // Asked for each error, also after one for which a part is skipped already.
        const one = skippedFor(error)
        skipped ??= one
        return undefined
      }
    },
    skipped: () => skipped,
  }
}

/**
 * What ends the request, and a Node that does not answer, are no reason to skip a part: those are thrown, and so is what is no error of
 * a domain (NODE-122, NODE-124).
 */
function skippedFor(error: unknown): Skipped {
  if (!(error instanceof CodedError) || endsRequest(error) || silentCode(error) !== undefined) throw error
  return skippedBy(error)
}

/** What the error would answer as the outcome of the request (API-011, API-012). */
export const skippedBy = ({ code, message, details }: CodedError): Skipped => ({
  skipped: code as ErrorCode, // A coded error of a domain has a code of the registry.
  message,
  ...(details === undefined ? {} : { details }),
})
