import { fail, type InstanceStatus } from '@fleet/contract'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import { type ResolvedSource, resolveSource } from '#/instances/commands/resolve-source.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory, DEFAULT_NAME, wantedBranch } from '#/instances/rules.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import { directoryProblem, gitMissing, stepFailed } from './directory-problem.ts'
import { placeOf } from './place.ts'
import { profileSource } from './profile-source.ts'

/** One state of a creation that does remote work: what it changes in the row when it is done. */
export interface CreationStep {
  readonly name: string
  readonly from: InstanceStatus
  /** Safe to run twice: a crash between the work and its record repeats it. */
  run(checkout: CheckoutSession, row: InstanceRow): Promise<Partial<InstanceRow>>
}

// Not a list for the step runner: the status column is the record, and one clean-up by receipt takes everything back.
/** In order: each begins in the state that the one before it recorded (INS-049). */
export const creationSteps: readonly CreationStep[] = [
  { name: 'prepare', from: 'reserved', run: prepare },
  { name: 'source', from: 'checkout_prepared', run: source },
  { name: 'profile', from: 'source_resolved', run: profileSource },
]

async function prepare(checkout: CheckoutSession, row: InstanceRow): Promise<Partial<InstanceRow>> {
  const broken = stepFailed('prepare')
  const { word } = await checkout.session.ask(prepareCheckout, placeOf(row), { broken })
  switch (word) {
    case 'prepared':
      return { status: 'checkout_prepared' }
    case 'occupied':
      throw fail(row.name === DEFAULT_NAME ? 'instance.default_path_occupied' : 'instance.path_taken', {
        details: { ...nodeDetail(checkout), checkout_path: row.checkout_path },
      })
    case 'unsafe':
      throw fail('instance.checkout_path_unsafe', { details: nodeDetail(checkout) })
    case 'root-unusable':
      throw fail('node.settings_root_failed', { details: nodeDetail(checkout) })
    case 'git-missing':
      throw gitMissing(checkout)
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(checkout, 'prepare', word)
    case 'root-missing':
    case 'folder-missing':
    case 'failed':
      throw fail('instance.source_failed', { details: { ...nodeDetail(checkout), step: 'prepare' } })
  }
}

async function source(checkout: CheckoutSession, row: InstanceRow): Promise<Partial<InstanceRow>> {
  const defaultBranch = checkout.project.default_branch ?? ''
  const branch = wantedBranch({ name: row.name, branch: row.branch_override }, defaultBranch)
  const root = row.root ?? checkout.project.root ?? '.'
  const request = {
    ...placeOf(row),
    repositoryUrl: checkout.project.repository_url,
    branch,
    defaultBranch,
    applicationDirectory: applicationDirectory(root),
  }
  const answer = await checkout.session.ask(resolveSource, request, { broken: stepFailed('checkout') })
  return {
    status: 'source_resolved',
    selected_branch: branch,
    starting_commit: commitOf(checkout, branch, answer),
  }
}

function commitOf(checkout: CheckoutSession, branch: string, answer: ResolvedSource): string {
  switch (answer.word) {
    case 'resolved':
      return answer.commit
    case 'branch-invalid':
    case 'branch-missing':
      throw fail('instance.branch_resolution_failed', {
        details: { ...nodeDetail(checkout), step: 'branch', branch },
      })
    case 'fetch-failed':
      throw fail('instance.branch_resolution_failed', {
        details: { ...nodeDetail(checkout), step: 'fetch', branch },
      })
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(checkout, 'checkout', answer.word)
    case 'git-missing':
      throw gitMissing(checkout)
    case 'checkout-failed':
      throw checkoutFailed(checkout)
    default:
      throw directoryProblem(checkout, answer.word)
  }
}

const STORAGE = {
  'storage-full': { reason: 'storage_full', message: 'The disk of the Node is full.' },
  'storage-read-only': { reason: 'storage_read_only', message: 'The disk of the Node takes no writes.' },
} as const

function storageRefused(checkout: CheckoutSession, step: string, word: keyof typeof STORAGE): Error {
  const { reason, message } = STORAGE[word]
  return fail('instance.source_failed', { message, details: { ...nodeDetail(checkout), step, reason } })
}

const checkoutFailed = (checkout: CheckoutSession): Error =>
  fail('instance.source_failed', { details: { ...nodeDetail(checkout), step: 'checkout' } })

/**
 * Deletes what the attempt made on the Node, by its receipt alone (INS-052, INS-053). Throws when it could not finish or
 * could not be asked; whatever is not proven stays and is no leftover of the attempt.
 */
export async function discardAttempt(checkout: CheckoutSession, row: InstanceRow): Promise<void> {
  const request = { ...placeOf(row), quarantineId: row.preparation_id, mode: 'attempt' } as const
  const broken = stepFailed('cleanup')
  const { word } = await checkout.session.ask(discardCheckout, request, { broken, cleanup: true })
  if (finished.has(word)) return
  throw fail('instance.source_failed', { details: { ...nodeDetail(checkout), step: 'cleanup' } })
}

// A missing folder holds nothing, and what lacks the receipt or lies behind a link was not made by the attempt.
const finished: ReadonlySet<string> = new Set(['gone', 'root-missing', 'folder-missing', 'foreign', 'unsafe'])
