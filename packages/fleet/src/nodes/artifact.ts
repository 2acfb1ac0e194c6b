import type { NodeSession } from '#/nodes/session/session.ts'
import type { ArtifactName, ErrorCode } from '@fleet/contract'
import type { NodeRecord } from '#/nodes/record.ts'

/** Something else that the gateway installs on Nodes and applies again when its own code has changed (NODE-120, NODE-121). */
export interface NodeArtifact {
  readonly name: Exclude<ArtifactName, 'agent'>
  /** Digest of what `converge` would install, from the gateway's own code and pins; undefined for a Node that has none of it. */
  digest(node: NodeRecord): Promise<string | undefined>
  /** `skipped` leaves the Node as it was, with the code of the reason (NODE-122). Throws its own codes and those of NodeSession. */
  converge(session: NodeSession, options: { readonly force: boolean }): Promise<ArtifactResult>
}

export type ArtifactResult =
  | 'applied'
  | 'unchanged'
  | {
      readonly skipped: ErrorCode
      /** What was wrong with it, in the words of who refused it. */
      readonly message?: string
    }
