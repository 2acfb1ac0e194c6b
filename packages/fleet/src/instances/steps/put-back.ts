import { type ErrorCode, fail } from '@fleet/contract'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { returnSource } from '#/instances/commands/adopt-source.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory } from '#/instances/rules.ts'
import type { RegistrationRow } from '#/instances/registration/queries.ts'
import { directoryProblem } from './directory-problem.ts'
import { effectiveRootOf, placeOf } from './place.ts'

interface PutBack {
  readonly source: Pick<RegistrationRow, 'source_path'>
  /** The error of an answer that is none. */
  readonly broken: ErrorCode
  /** After a failure of the registration itself. */
  readonly isUndoing?: boolean
  /** The record may go although no directory was found. */
  readonly force?: boolean
}

type Kept = Exclude<Awaited<ReturnType<typeof ask>>, 'returned'>

/**
 * Puts the directory of a registration that did not end back to where it was. It may be the only one with somebody's work, so nothing is
 * deleted, whatever the force: what is in the way is refused. Throws `instance.source_path_mismatch`, `instance.source_ownership_mismatch`,
 * `instance.checkout_path_unsafe`, `instance.lifecycle_busy` and `broken`.
 */
export async function putBack(checkout: CheckoutSession, row: InstanceRow, given: PutBack): Promise<void> {
  const word = await ask(checkout, row, given)
  if (word === 'returned' || (given.force === true && mayBeGone.has(word))) return
  throw kept(checkout, word, { row, sourcePath: given.source.source_path, broken: given.broken })
}

// As in `inspect`: a missing apps root may be a disk that is not mounted.
const mayBeGone: ReadonlySet<string> = new Set(['absent', 'folder-missing', 'foreign'])

async function ask(checkout: CheckoutSession, row: InstanceRow, given: PutBack) {
  const { source, broken, isUndoing = false } = given
  const request = {
    ...placeOf(row),
    sourcePath: source.source_path,
    applicationDirectory: applicationDirectory(effectiveRootOf(checkout, row)),
  }
  return (await checkout.session.ask(returnSource, request, { broken: stepOf(broken), cleanup: isUndoing }))
    .word
}

const stepOf = (code: ErrorCode) => ({ code, details: { step: 'cleanup' } })

interface Place {
  readonly row: InstanceRow
  readonly sourcePath: string
  readonly broken: ErrorCode
}

function kept(checkout: CheckoutSession, word: Kept, place: Place): Error {
  if (word === 'busy' || word === 'unsafe') return directoryProblem(checkout, word)
  const { row, sourcePath, broken } = place
  const details = {
    ...nodeDetail(checkout.session),
    source_path: sourcePath,
    checkout_path: row.checkout_path,
  }
  if (word === 'failed')
    return fail(broken, {
      message: `On ${checkout.session.node.name} the directory at ${row.checkout_path} could not be moved back to ${sourcePath}. Nothing was deleted. See whether the folder above ${sourcePath} is there and may be written to.`,
      details: { ...details, step: 'cleanup' },
    })
  const { code, because } = reasons[word]
  return fail(code, { message: because(place, checkout.session.node.name), details })
}

const alone = ({ row }: Place): string =>
  `If it is nowhere, \`fleet instance:destroy ${row.id} --force\` removes the record alone.`

const nowhere = (place: Place, node: string): string =>
  `On ${node} there is no checkout at ${place.row.checkout_path} and none at ${place.sourcePath}. If one of them is on a disk that is not mounted, mount it first. ${alone(place)}`

const reasons: Readonly<
  Record<
    Exclude<Kept, 'busy' | 'unsafe' | 'failed'>,
    { readonly code: ErrorCode; readonly because: (place: Place, node: string) => string }
  >
> = {
  occupied: {
    code: 'instance.source_path_mismatch',
    because: ({ row, sourcePath }, node) =>
      `On ${node} the directory that was to be registered is at ${row.checkout_path}, and something else has come to its old place, ${sourcePath}. Nothing was deleted. Move what is at ${sourcePath} away first.`,
  },
  'root-missing': {
    code: 'instance.source_path_mismatch',
    because: ({ row }, node) =>
      `On ${node} the folder above ${row.checkout_path} is not there. If it is on a disk that is not mounted, mount it first: the directory that was to be registered may be on it.`,
  },
  absent: { code: 'instance.source_path_mismatch', because: nowhere },
  'folder-missing': { code: 'instance.source_path_mismatch', because: nowhere },
  foreign: {
    code: 'instance.source_ownership_mismatch',
    because: (place, node) =>
      `On ${node} there is no checkout at ${place.sourcePath}, and Fleet did not put what is at ${place.row.checkout_path} there. Move that to ${place.sourcePath} if it is yours. ${alone(place)}`,
  },
}
