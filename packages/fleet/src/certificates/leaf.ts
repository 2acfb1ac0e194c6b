import { fail } from '@fleet/contract'
import { type Clock, Secret } from '@fleet/kernel'
import { issueLeaf, judgeLeaf, type Root } from '@fleet/pki'
import { MalformedOutput, textField } from '@fleet/shell'
import type { PublishedLeaf } from '#/certificates/api.ts'
import { answerOf } from '#/certificates/commands/answers.ts'
import { inspectLeaf, type LeafPlace, removeLeaf, writeLeaf } from '#/certificates/commands/leaf.ts'
import { signingRootOf } from '#/certificates/root.ts'
import { identityOf, type Machine } from '#/nodes/api.ts'

export interface LeafParts {
  readonly clock: Clock
  readonly caDirectory: string
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
}

const LEAF_SECONDS = 90
const DIRECTORY = '/etc/fleet/certificates'
const BROKEN = 'certificate.publication_failed'

export async function publishLeaf(
  { clock, caDirectory, root }: LeafParts,
  machine: Machine,
  leaf: PublishedLeaf,
): Promise<'published' | 'unchanged'> {
  const place = placeOf(root, leaf)
  const authority = signingRootOf(caDirectory)
  if (await isGood(machine, place, leaf, authority, clock.now())) return 'unchanged'
  const { names, addresses } = leaf
  const { key, certificate } = await issueLeaf(authority, { clock, names, addresses })
  const command = writeLeaf(place, new Secret(key.reveal() + certificate))
  const result = await machine.asRoot(command, { timeoutSeconds: LEAF_SECONDS })
  if (!answerOf(machine, result, BROKEN).has('published')) throw broken(machine)
  return 'published'
}

export async function withdrawLeaf(
  root: string,
  machine: Machine,
  leaf: Pick<PublishedLeaf, 'scope' | 'place'>,
): Promise<void> {
  const result = await machine.asRoot(removeLeaf(placeOf(root, leaf)), { timeoutSeconds: LEAF_SECONDS })
  if (!answerOf(machine, result, BROKEN).has('withdrawn')) throw broken(machine)
}

/** The key stays where it is: a pair is written at once or not at all, so the certificate speaks for it. */
async function isGood(
  machine: Machine,
  place: LeafPlace,
  { names, addresses }: PublishedLeaf,
  { certificate: root }: Root,
  now: Date,
): Promise<boolean> {
  const result = await machine.asRoot(inspectLeaf(place), { timeoutSeconds: LEAF_SECONDS })
  const answer = answerOf(machine, result, BROKEN)
  try {
    const certificate = textField(answer, 'certificate')
    const { verdict } = judgeLeaf(certificate, { root, now, names, addresses })
    return verdict === 'good' && textField(answer, 'state') === 'sound'
  } catch (error) {
    throw error instanceof MalformedOutput ? broken(machine, error) : error
  }
}

const placeOf = (
  root: string,
  {
    scope,
    place = { directory: `${DIRECTORY}/${scope}`, file: 'leaf.pem' },
    owner = 'root',
    reload = '',
  }: Pick<PublishedLeaf, 'scope' | 'place' | 'owner' | 'reload'>,
): LeafPlace => ({ root, ...place, owner, unit: reload })

const broken = ({ node }: Machine, cause?: unknown) =>
  fail(BROKEN, { details: { node: identityOf(node) }, cause })
