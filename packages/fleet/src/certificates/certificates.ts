import type { LeafJudgement, LeafNames } from '@fleet/pki'
import type { LeafFiles } from '#/certificates/commands/leaf-files.ts'
import type { FamilyChecks, Finding, NodeSession } from '#/nodes/api.ts'

/** A leaf on a Node and the service that reads it. */
export interface PublishedLeaf extends LeafNames {
  /** Names its directory below /etc/fleet/certificates: `app-instance-7`, `route-3-router` and the like (RTX-098). */
  readonly scope: string
  /** Directory and file where the service wants them elsewhere (RTX-101). */
  readonly place?: { readonly directory: string; readonly file: string }
  /** Unix user that reads it; root when absent. */
  readonly owner?: string
  /** Unit that is reloaded, or restarted where it cannot reload, when it runs. */
  readonly reload?: string
  /** Whoever publishes it loads it with others and then confirms that: until then it is due. */
  readonly isLoadedLater?: true
}

/** Where a leaf is and who reads it. */
export type LoadedLeaf = Pick<PublishedLeaf, 'scope' | 'place' | 'reload'>

/** The fleet's root in the system store of a Node. */
export interface NodeTrust {
  /** One round trip when the store holds the root already (RTX-099). Throws `certificate.*` and the codes of NodeSession. */
  install(session: NodeSession): Promise<'installed' | 'unchanged'>
  remove(session: NodeSession): Promise<void>
}

export interface Certificates {
  readonly trust: NodeTrust
  /**
   * One round trip when a valid leaf is installed. Throws `certificate.*`, `ca.unavailable` and the codes of
   * NodeSession.
   */
  publishLeaf(session: NodeSession, leaf: PublishedLeaf): Promise<'published' | 'unchanged'>
  /** The same of several, in a few round trips however many they are. Answers those that were published. */
  publishLeaves(session: NodeSession, leaves: readonly PublishedLeaf[]): Promise<readonly PublishedLeaf[]>
  /** The readers of these leaves, which were to be loaded later, have loaded them. One round trip. */
  confirmLoaded(session: NodeSession, leaves: readonly LoadedLeaf[]): Promise<void>
  /** Reloads each reader of these leaves once if it was not told of one of them. One round trip for each reader. Throws as `publishLeaf`. */
  loadWaiting(session: NodeSession, leaves: readonly LoadedLeaf[]): Promise<void>
  /** Whether no good leaf is on the Node, or one that ends soon. One round trip. Throws what `publishLeaf` throws. */
  isLeafDue(session: NodeSession, leaf: PublishedLeaf): Promise<boolean>
  withdrawLeaf(session: NodeSession, leaf: Pick<PublishedLeaf, 'scope' | 'place'>): Promise<void>
  /** Throws `ca.unavailable` where no leaf can be issued: the root is lost, damaged or has ended. */
  requireSigning(): void
  /** What a socket serves under a name, which it must be for; undefined when it serves nothing. Throws `ca.unavailable`. */
  inspectServed(at: {
    readonly address: string
    readonly port?: number
    readonly name: string
    /** Clients connect by the address as well, so it must be for that too. */
    readonly isForAddress?: true
  }): Promise<LeafJudgement | undefined>
  /** How a leaf among these files of a Node differs from what is published there. Throws `ca.unavailable`. */
  judgeFile(files: LeafFiles, leaf: PublishedLeaf): Finding | undefined
  /** What the gateway itself serves, as a part of the family `role`, and whether Nodes trust the root, as one of `node`. */
  readonly checks: readonly FamilyChecks[]
}
