import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type StepFailure, stepList, type StepLog } from '@fleet/steps'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import {
  type Adopted,
  type AdoptedPlace,
  adoptSource,
  releaseSource,
} from '#/instances/commands/adopt-source.ts'
import { codeOf } from '#/error-details.ts'
import { withOperationLock } from '#/instances/locks.ts'
import { type InstanceRow, removeRow } from '#/instances/queries.ts'
import type { RegistrationQueries, RegistrationRow } from '#/instances/registration/queries.ts'
import { branchOf } from '#/instances/registration/rules.ts'
import { applicationDirectory, DEFAULT_NAME, finishRemoval } from '#/instances/rules.ts'
import { type Creation, profile, publish, statusLog, storageRefused, unpublish } from './creation.ts'
import { gitMissing, directoryProblem, stepFailed } from './directory-problem.ts'
import { effectiveRootOf, placeOf } from './place.ts'
import { putBack } from './put-back.ts'
import { creationError } from './run-creation.ts'

/** A registration on its way. */
export interface Registration extends Omit<Creation, 'isUntouched' | 'source'> {
  readonly registrations: Pick<RegistrationQueries, 'update'>
  /** Runs the setup list afterwards. */
  readonly setsUp: boolean
  /** Of a linked worktree: the Instance with its repository. */
  readonly main: InstanceRow | undefined
  /** As stored. */
  source: RegistrationRow
}

/** In order (INS-077). Until `activate` a failure puts the directory back; afterwards only the copied one is left to remove. */
export const instanceRegistration = stepList<Registration>('instance-registration', [
  { name: 'adopt', run: adopt, undo: giveBack },
  { name: 'profile', run: profile },
  { name: 'activate', run: activate, undo: withdraw, commits: true },
  { name: 'release', run: release },
])

const STEPS = ['adopt', 'profile', 'activate', 'release']

const stepsDone = ({ row, source }: Registration): number => {
  if (row.status === 'active') return source.has_copy ? 3 : 4
  if (row.status === 'reserved') return 0
  return row.profile === null ? 1 : 2
}

export const registrationLog = (registration: Registration): StepLog =>
  statusLog(registration, STEPS, () => stepsDone(registration))

const adoptedPlace = ({ row, source }: Registration): AdoptedPlace => ({
  ...placeOf(row),
  sourcePath: source.source_path,
})

/** Nobody removes the repository of a linked worktree meanwhile. */
async function adopt(registration: Registration): Promise<void> {
  const { main, store, queries, checkout } = registration
  if (!main) return adoptIn(registration)
  const { call } = checkout.session
  await withOperationLock(store, call, main.id, 'instance.lifecycle_busy', async () => {
    if ((await queries.find(main.id))?.status !== 'active')
      throw fail('instance.source_layout_mismatch', {
        message: `Instance ${main.name}, which has the repository of the worktree, is being removed.`,
        details: nodeDetail(checkout.session),
      })
    await adoptIn(registration)
  })
}

async function adoptIn(registration: Registration): Promise<void> {
  const { checkout, row, main, registrations } = registration
  const request = {
    ...adoptedPlace(registration),
    applicationDirectory: applicationDirectory(effectiveRootOf(checkout, row)),
    mainPath: main?.checkout_path,
  }
  const answer = await checkout.session.ask(adoptSource, request, { broken: stepFailed('adopt') })
  if (answer.word !== 'adopted') throw refused(registration, answer.word)
  registration.source = await registrations.update(row.id, answer.isCopy)
  const branch = branchOf(answer.head)
  registration.found = {
    status: 'source_resolved',
    selected_branch: branch ?? null,
    detached: branch === undefined ? 1 : 0,
    starting_commit: answer.commit === '' ? null : answer.commit,
  }
}

const CODES: Readonly<Partial<Record<Adopted['word'], ErrorCode>>> = {
  absent: 'instance.source_path_mismatch',
  'holds-managed': 'instance.identity_conflict',
  changed: 'instance.source_changed',
  'root-unusable': 'node.settings_root_failed',
}

function refused({ checkout, row, source }: Registration, word: Exclude<Adopted['word'], 'adopted'>): Error {
  const details = { ...nodeDetail(checkout.session), source_path: source.source_path }
  const code = CODES[word]
  if (code) return fail(code, { details })
  switch (word) {
    case 'occupied':
      return fail(row.name === DEFAULT_NAME ? 'instance.default_path_occupied' : 'instance.path_taken', {
        details: { ...nodeDetail(checkout.session), checkout_path: row.checkout_path },
      })
    case 'git-missing':
      return gitMissing(checkout)
    case 'storage-full':
    case 'storage-read-only':
      return storageRefused(checkout, 'adopt', word)
    case 'root-missing':
    case 'folder-missing':
    case 'unsafe':
    case 'foreign':
    case 'busy':
      return directoryProblem(checkout, word)
    default:
      return fail('instance.source_failed', { details: { ...nodeDetail(checkout.session), step: 'adopt' } })
  }
}

/** The directory goes back to where it was, then the record with its Route is deleted. */
async function giveBack({ checkout, store, routes, row, source }: Registration): Promise<void> {
  await putBack(checkout, row, { source, broken: 'instance.source_failed', isUndoing: true })
  await store.transaction(async (db) => {
    await routes.forget(db, row.id)
    await removeRow(db, row.id)
  })
}

/** The answer to a registration that stopped: also why its directory did not go back, and what puts it there. */
export function registrationError(
  registration: Pick<Registration, 'checkout' | 'row' | 'source'>,
  failure: StepFailure,
): unknown {
  const error = creationError(registration, failure)
  const { cleanup, undoFailure, recordFailure } = failure
  if (cleanup !== 'incomplete' || recordFailure !== undefined || !(error instanceof CodedError)) return error
  const { row, source } = registration
  const finish = finishRemoval(row.id, false)
  const cause = undoFailure?.cause
  const why = cause instanceof CodedError ? cause.message : 'The Node gave no answer that can be used.'
  return fail(codeOf(error, 'instance.source_failed'), {
    message: `${error.message} The directory is not back at ${source.source_path}: ${why} To put it back: \`${finish}\`.`,
    details: { ...error.details, source_path: source.source_path, finish },
    cause: error.cause,
  })
}

async function activate(registration: Registration): Promise<void> {
  const { domain, projects, row, setsUp } = registration
  if (domain !== undefined) await publish(registration)
  const waits = setsUp && (await projects.steps(row.project_id, 'setup')).length > 0
  registration.found = {
    status: 'active',
    // Not `pending`: what is interrupted is repeated, and never undone by a removal.
    setup: waits ? 'repeated' : null,
    failed_step: waits ? 'setup' : null,
  }
}

async function withdraw(registration: Registration): Promise<void> {
  if (registration.domain !== undefined) await unpublish(registration)
}

async function release(registration: Registration): Promise<void> {
  const { checkout, row, source, registrations } = registration
  if (!source.has_copy) return
  const { word } = await checkout.session.ask(releaseSource, adoptedPlace(registration), {
    broken: stepFailed('release'),
  })
  if (word !== 'released') throw unreleased(checkout, source, word)
  registration.source = await registrations.update(row.id, false)
  registration.found = { failed_step: row.setup === null ? null : 'setup' }
}

function unreleased(checkout: CheckoutSession, source: RegistrationRow, word: string): Error {
  const details = { ...nodeDetail(checkout.session), step: 'release', source_path: source.source_path }
  return word === 'changed'
    ? fail('instance.source_changed', {
        message:
          'The Instance is active, and the directory that it was copied from has changed since. Take what you need from there, delete it, and repeat the request.',
        details,
      })
    : fail('instance.source_failed', { details })
}
