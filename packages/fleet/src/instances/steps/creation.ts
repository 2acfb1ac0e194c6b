import { fail, type InstanceStatus } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import { type Answer, linesOf, readAnswer } from '#/instances/commands/answer.ts'
import { discardAnswers, discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { prepareAnswers, prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import { resolveSource, sourceAnswers } from '#/instances/commands/resolve-source.ts'
import { codeOf } from '#/instances/error-details.ts'
import type { InstanceQueries, InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory, DEFAULT_NAME, wantedBranch } from '#/instances/rules.ts'
import { nodeDetail, type Site } from '#/instances/site.ts'
import type { Projects } from '#/projects/api.ts'
import { directoryProblem, gitMissing } from './directory-problem.ts'
import { placeOf } from './place.ts'
import { profileSource } from './profile-source.ts'

/** A creation on its way. */
export interface Creation {
  readonly site: Site
  readonly queries: InstanceQueries
  readonly projects: Pick<Projects, 'steps'>
  /** This request reserved the row. */
  readonly isFresh: boolean
  /** As stored. */
  row: InstanceRow
  /** What the step that just ended found: stored with the state that it reached. */
  found: Partial<InstanceRow>
  /** The first command of a new attempt was never sent, so there is nothing to look for. */
  isUntouched: boolean
}

type Found = (site: Site, row: InstanceRow) => Promise<Partial<InstanceRow>>

const finding =
  (work: Found): Step<Creation>['run'] =>
  async (creation) => {
    creation.found = await work(creation.site, creation.row)
  }

/** In order: each begins in the state that the previous one recorded (INS-049). One clean-up by receipt undoes them all. */
export const instanceCreation = stepList<Creation>('instance-creation', [
  { name: 'prepare', run: prepareFirst, undo: discard },
  { name: 'source', run: finding(source) },
  { name: 'profile', run: activate },
])

const STATES: readonly string[] = [
  'reserved',
  'checkout_prepared',
  'source_resolved',
  'active',
] satisfies InstanceStatus[]
const STEPS = ['prepare', 'source', 'profile']

/** The status column as the log: how far the creation came, what its steps found, and why the last one failed. */
export const creationLog = (creation: Creation): StepLog => {
  const reached = (): number => STATES.indexOf(creation.row.status)
  return columnsLog<Partial<InstanceRow>>({
    done: () => STEPS.slice(0, reached()),
    begun: () => STEPS.slice(reached(), reached() + 1),
    on: {
      done: () => ({ ...creation.found, error_code: null }),
      failed: (failed_step, cause) => ({ failed_step, error_code: codeOf(cause, 'instance.source_failed') }),
      // First: a crash during the clean-up must make the identical request begin anew, not in a half-deleted checkout.
      undoing: () => (creation.row.status === 'reserved' ? undefined : { status: 'reserved' }),
    },
    write: async (values) => {
      creation.row = await creation.queries.update(creation.row.id, values)
    },
  })
}

async function prepareFirst(creation: Creation): Promise<void> {
  try {
    await finding(prepare)(creation)
  } catch (error) {
    creation.isUntouched = creation.isFresh && neverBegan(error)
    throw error
  }
}

const neverBegan = (error: unknown): boolean =>
  error instanceof CodedError && error.cause instanceof SshFailure && !error.cause.sent

/** An active Instance whose setup list has not run to its end says so from the first moment (INS-016). */
async function activate(creation: Creation): Promise<void> {
  const { site, row, projects } = creation
  const found = await profileSource(site, row)
  const waits = (await projects.steps(row.project_id, 'setup')).length > 0
  creation.found = { ...found, setup: waits ? 'pending' : null, failed_step: waits ? 'setup' : null }
}

/** Everything of the attempt goes: the directory by its receipt, then the record (INS-052). */
async function discard({ site, queries, row, isUntouched }: Creation): Promise<void> {
  if (!isUntouched) await discardAttempt(site, row)
  await queries.remove(row.id)
}

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
 * could not be asked; whatever is not proven stays and is no residue of the attempt.
 */
async function discardAttempt(site: Site, row: InstanceRow): Promise<void> {
  const command = discardCheckout(placeOf(row), row.preparation_id, 'attempt')
  const answer = readAnswer(await site.run(command, { cleanup: true }), discardAnswers)
  if (answer && finished.has(answer.word)) return
  throw fail('instance.source_failed', { details: { ...nodeDetail(site.node), step: 'cleanup' } })
}

// A missing folder holds nothing, and what lacks the receipt or lies behind a link was not made by the attempt.
const finished: ReadonlySet<string> = new Set(['gone', 'root-missing', 'folder-missing', 'foreign', 'unsafe'])
