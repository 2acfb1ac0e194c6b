import { fail, type InstanceStatus } from '@fleet/contract'
import { type Answer, linesOf, readAnswer } from '#/instances/commands/answer.ts'
import { discardAnswers, discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { prepareAnswers, prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import { resolveSource, sourceAnswers } from '#/instances/commands/resolve-source.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory, DEFAULT_NAME, wantedBranch } from '#/instances/rules.ts'
import { nodeDetail, type Site } from '#/instances/site.ts'
import { directoryProblem, gitMissing } from './directory-problem.ts'
import { placeOf } from './place.ts'
import { profileSource } from './profile-source.ts'

/** One state of a creation that does remote work: what it changes in the row when it is done. */
export interface CreationStep {
  readonly name: string
  readonly from: InstanceStatus
  /** Safe to run twice: a crash between the work and its record repeats it. */
  run(site: Site, row: InstanceRow): Promise<Partial<InstanceRow>>
}

// Not a list for the step runner: the status column is the record, and one clean-up by receipt takes everything back.
/** In order: each begins in the state that the one before it recorded (INS-049). */
export const creationSteps: readonly CreationStep[] = [
  { name: 'prepare', from: 'reserved', run: prepare },
  { name: 'source', from: 'checkout_prepared', run: source },
  { name: 'profile', from: 'source_resolved', run: profileSource },
]

async function prepare(site: Site, row: InstanceRow): Promise<Partial<InstanceRow>> {
  const answer = readAnswer(await site.run(prepareCheckout(placeOf(row))), prepareAnswers)
  switch (answer?.word) {
    case 'prepared':
      return { status: 'checkout_prepared' }
    case 'occupied':
      throw fail(row.name === DEFAULT_NAME ? 'instance.default_path_occupied' : 'instance.path_taken', {
        details: { ...nodeDetail(site.node), checkout_path: row.checkout_path },
      })
    case 'unsafe':
      throw fail('instance.checkout_path_unsafe', { details: nodeDetail(site.node) })
    case 'root-unusable':
      throw fail('node.settings_root_failed', { details: nodeDetail(site.node) })
    case 'git-missing':
      throw gitMissing(site)
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(site, 'prepare', answer.word)
    case 'failed':
    case undefined:
      throw fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'prepare' } })
  }
}

async function source(site: Site, row: InstanceRow): Promise<Partial<InstanceRow>> {
  const defaultBranch = site.project.default_branch ?? ''
  const branch = wantedBranch({ name: row.name, branch: row.branch_override }, defaultBranch)
  const root = row.root ?? site.project.root ?? '.'
  const command = resolveSource({
    ...placeOf(row),
    repositoryUrl: site.project.repository_url,
    branch,
    defaultBranch,
    applicationDirectory: applicationDirectory(root),
  })
  const answer = readAnswer(await site.run(command), sourceAnswers)
  if (!answer) throw checkoutFailed(site)
  return {
    status: 'source_resolved',
    selected_branch: branch,
    starting_commit: commitOf(site, branch, answer),
  }
}

function commitOf(site: Site, branch: string, answer: Answer<(typeof sourceAnswers)[number]>): string {
  switch (answer.word) {
    case 'resolved':
      return linesOf(answer)[0] ?? ''
    case 'branch-invalid':
    case 'branch-missing':
      throw fail('instance.branch_resolution_failed', {
        details: { ...nodeDetail(site.node), step: 'branch', branch },
      })
    case 'fetch-failed':
      throw fail('instance.branch_resolution_failed', {
        details: { ...nodeDetail(site.node), step: 'fetch', branch },
      })
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(site, 'checkout', answer.word)
    case 'git-missing':
      throw gitMissing(site)
    case 'checkout-failed':
      throw checkoutFailed(site)
    default:
      throw directoryProblem(site, answer.word)
  }
}

const STORAGE = {
  'storage-full': { reason: 'storage_full', message: 'The disk of the Node is full.' },
  'storage-read-only': { reason: 'storage_read_only', message: 'The disk of the Node takes no writes.' },
} as const

function storageRefused(site: Site, step: string, word: keyof typeof STORAGE): Error {
  const { reason, message } = STORAGE[word]
  return fail('instance.source_failed', { message, details: { ...nodeDetail(site.node), step, reason } })
}

const checkoutFailed = (site: Site): Error =>
  fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'checkout' } })

/**
 * Deletes what the attempt made on the Node, by its receipt alone (INS-052, INS-053). Throws when it could not finish or
 * could not be asked; whatever is not proven stays and is no leftover of the attempt.
 */
export async function discardAttempt(site: Site, row: InstanceRow): Promise<void> {
  const command = discardCheckout(placeOf(row), row.preparation_id, 'attempt')
  const answer = readAnswer(await site.run(command, { cleanup: true }), discardAnswers)
  if (answer && finished.has(answer.word)) return
  throw fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'cleanup' } })
}

// A missing folder holds nothing, and what lacks the receipt or lies behind a link was not made by the attempt.
const finished: ReadonlySet<string> = new Set(['gone', 'root-missing', 'folder-missing', 'foreign', 'unsafe'])
