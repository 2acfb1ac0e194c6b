import type { LoadedLeaf, PublishedLeaf } from '#/certificates/certificates.ts'
import { chunks, type Clock, Secret } from '@fleet/kernel'
import { issueLeaf } from '@fleet/pki'
import { inspectLeaves, loadLeaves, removeLeaf, writeLeaves } from '#/certificates/commands/leaf.ts'
import { judgeLeafFile } from '#/certificates/judge-leaf-file.ts'
import { placeOf } from '#/certificates/place.ts'
import { rootCertificateOf, signingRootOf } from '#/certificates/root.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface LeafDeps {
  readonly clock: Clock
  readonly caDirectory: string
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
}

export async function publishLeaves(
  { clock, caDirectory, root }: LeafDeps,
  session: NodeSession,
  leaves: readonly PublishedLeaf[],
): Promise<readonly PublishedLeaf[]> {
  if (leaves.length === 0) return []
  const authority = signingRootOf(caDirectory, clock.now())
  const due = await dueOf(session, leaves, { folder: root, root: authority.certificate, now: clock.now() })
  for (const some of chunks(due, TOGETHER)) {
    const written = some.map(async (leaf) => {
      const { names, addresses, isLoadedLater = false } = leaf
      const { key, certificate } = await issueLeaf(authority, { clock, names, addresses })
      const pair = new Secret(key.reveal() + certificate)
      return { place: placeOf(root, leaf), pair, isLoadedLater }
    })
    await session.ask(writeLeaves, await Promise.all(written))
  }
  return due
}

/** How many leaves one command looks at, or writes. */
const TOGETHER = 50

/** Those of which no good one is on the Node. The key stays where it is: a pair is written at once or not at all, so the certificate speaks for it. */
async function dueOf(
  session: NodeSession,
  leaves: readonly PublishedLeaf[],
  how: Parameters<typeof judgeLeafFile>[2] & { readonly folder: string },
): Promise<readonly PublishedLeaf[]> {
  const due: PublishedLeaf[] = []
  for (const some of chunks(leaves, TOGETHER)) {
    const files = await session.ask(
      inspectLeaves,
      some.map((leaf) => placeOf(how.folder, leaf)),
    )
    due.push(...some.filter((leaf) => judgeLeafFile(files, leaf, how)))
  }
  return due
}

export async function isLeafDue(
  { clock, caDirectory, root }: LeafDeps,
  session: NodeSession,
  leaf: PublishedLeaf,
): Promise<boolean> {
  const how = { folder: root, root: rootCertificateOf(caDirectory), now: clock.now() }
  return (await dueOf(session, [leaf], how)).length > 0
}

/** Nothing happens to a leaf that was withdrawn meanwhile. */
export async function confirmLoaded(
  root: string,
  session: NodeSession,
  leaves: readonly LoadedLeaf[],
): Promise<void> {
  const places = leaves.map((leaf) => placeOf(root, leaf))
  if (places.length > 0) await session.ask(loadLeaves, { unit: '', places })
}

export async function loadWaiting(
  root: string,
  session: NodeSession,
  leaves: readonly LoadedLeaf[],
): Promise<void> {
  const readers = Map.groupBy(leaves, ({ reload = '' }) => reload)
  readers.delete('')
  for (const [unit, read] of readers)
    await session.ask(loadLeaves, { unit, places: read.map((leaf) => placeOf(root, leaf)) })
}

export const withdrawLeaf = (
  root: string,
  session: NodeSession,
  leaf: Pick<PublishedLeaf, 'scope' | 'place'>,
): Promise<void> => session.ask(removeLeaf, placeOf(root, leaf))
