import type { LoadedLeaf, PublishedLeaf } from '#/certificates/certificates.ts'
import { type Clock, Secret } from '@fleet/kernel'
import { issueLeaf, judgeLeaf } from '@fleet/pki'
import {
  loadLeaves,
  inspectLeaf,
  type LeafPlace,
  removeLeaf,
  writeLeaf,
} from '#/certificates/commands/leaf.ts'
import { rootCertificateOf, signingRootOf } from '#/certificates/root.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface LeafDeps {
  readonly clock: Clock
  readonly caDirectory: string
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
}

export const CERTIFICATES = '/etc/fleet/certificates'
const LEAF = 'leaf.pem'

/** Where a leaf of this scope is on its Node, key and certificate in one file. */
export const leafFile = (scope: string): string => `${CERTIFICATES}/${scope}/${LEAF}`

/** The scope of the leaf of such a file. */
export const leafScopeOf = (file: string): string => file.split('/').at(-2) ?? ''

export async function publishLeaf(
  { clock, caDirectory, root }: LeafDeps,
  session: NodeSession,
  leaf: PublishedLeaf,
): Promise<'published' | 'unchanged'> {
  const place = placeOf(root, leaf)
  const authority = signingRootOf(caDirectory, clock.now())
  if (await isGood(session, place, leaf, authority.certificate, clock.now())) return 'unchanged'
  const { names, addresses } = leaf
  const { key, certificate } = await issueLeaf(authority, { clock, names, addresses })
  await session.ask(writeLeaf, { place, pair: new Secret(key.reveal() + certificate) })
  return 'published'
}

export const isLeafDue = async (
  { clock, caDirectory, root }: LeafDeps,
  session: NodeSession,
  leaf: PublishedLeaf,
): Promise<boolean> =>
  !(await isGood(session, placeOf(root, leaf), leaf, rootCertificateOf(caDirectory), clock.now()))

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

/** The key stays where it is: a pair is written at once or not at all, so the certificate speaks for it. */
async function isGood(
  session: NodeSession,
  place: LeafPlace,
  { names, addresses }: PublishedLeaf,
  root: string,
  now: Date,
): Promise<boolean> {
  const { certificate, isSound } = await session.ask(inspectLeaf, place)
  return isSound && judgeLeaf(certificate, { root, now, names, addresses }).verdict === 'good'
}

const placeOf = (
  root: string,
  {
    scope,
    place = { directory: `${CERTIFICATES}/${scope}`, file: LEAF },
    owner = 'root',
    reload = '',
    isLoadedLater,
  }: Pick<PublishedLeaf, 'scope' | 'place' | 'owner' | 'reload' | 'isLoadedLater'>,
): LeafPlace => ({ root, ...place, owner, unit: reload, isLoadedLater: isLoadedLater === true })
