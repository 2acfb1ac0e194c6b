import { fail, type InstanceStatus } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { type Prepared, prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import { type ResolvedSource, resolveSource, resolveWorktree } from '#/instances/commands/resolve-source.ts'
import { copySource, settleCopied } from '#/instances/copies/steps.ts'
import type { CopySource } from '#/instances/copies/source.ts'
import { codeOf } from '#/error-details.ts'
import type { InstanceRoutes } from '#/instances/ports.ts'
import { type InstanceQueries, type InstanceRow, removeRow } from '#/instances/queries.ts'
import { applicationDirectory, DEFAULT_NAME, wantedBranch } from '#/instances/rules.ts'
import type { Projects } from '#/projects/api.ts'
import {
  type AskedSource,
  branchMissing,
  fetchFailed,
  gitMissing,
  lfsRefused,
  stepFailed,
  directoryProblem,
} from './directory-problem.ts'
import { effectiveRootOf, placeOf } from './place.ts'
import { profileSource } from './profile-source.ts'
import { prepareSeeded, requireSeed } from './seeded.ts'

/** A creation on its way. */
export interface Creation {
  readonly checkout: CheckoutSession
  readonly queries: InstanceQueries
  readonly projects: Pick<Projects, 'steps' | 'login'>
  readonly store: Pick<Store, 'transaction' | 'locks'>
  /** What it is a copy of; undefined for a checkout of its own. */
  readonly source: CopySource | undefined
  readonly routes: Pick<InstanceRoutes, 'publish' | 'unpublish' | 'forget'>
  /** Where it is served before it is active; undefined without a Route. */
  readonly domain: string | undefined
  /** This request reserved the row. */
  readonly isFresh: boolean
  /** As stored. */
  row: InstanceRow
  /** What the step that just ended found: stored with the state that it reached. */
  found: Partial<InstanceRow>
  /** The first command of a new attempt was never sent, so there is nothing to look for. */
  isUntouched: boolean
}

type Sourced = Pick<Creation, 'checkout' | 'row' | 'domain' | 'found'>
type Served = Pick<Creation, 'checkout' | 'row' | 'routes'>

const fresh: readonly Step<Creation>[] = [
  {
    name: 'prepare',
    run: (creation) => first(creation, prepareFresh),
    undo: discard,
  },
  { name: 'source', run: source },
]

/** The same states with the checkout of another Instance. */
const copied: readonly Step<Creation>[] = [
  { name: 'prepare', run: (creation) => first(creation, copySource), undo: discard },
  {
    name: 'source',
    run: async (creation) => {
      creation.found = await settleCopied(creation)
    },
  },
]

/**
 * In order: each begins in the state that the previous one recorded (INS-049). One clean-up by receipt undoes the source; a
 * Route is withdrawn before it.
 */
export const instanceCreation = stepList<Creation>('instance-creation', ({ domain, row }) => {
  const sourceSteps = row.copy === null ? fresh : copied
  return domain === undefined
    ? [...sourceSteps, { name: 'profile', run: profileAndActivate }]
    : [
        ...sourceSteps,
        { name: 'profile', run: profile },
        { name: 'route', run: publishAndActivate, undo: unpublish },
      ]
})

const STATES: readonly string[] = [
  'reserved',
  'checkout_prepared',
  'source_resolved',
] satisfies InstanceStatus[]
const STEPS = ['prepare', 'source', 'profile', 'route']

/** Steps that the row shows as done. A source with a profile waits for its Route. */
const stepsDone = ({ status, profile: examined }: InstanceRow): number =>
  status === 'active' ? STEPS.length : examined === null ? STATES.indexOf(status) : STATES.length

export const creationLog = (creation: Creation): StepLog =>
  statusLog(creation, STEPS, () => stepsDone(creation.row))

type Recorded = Pick<Creation, 'queries' | 'row' | 'found'>

/** The status column as the log: how far the work came, what its steps found, and why the last one failed. */
export const statusLog = (creation: Recorded, steps: readonly string[], reached: () => number): StepLog =>
  columnsLog<Partial<InstanceRow>>({
    done: () => steps.slice(0, reached()),
    begun: () => steps.slice(reached(), reached() + 1),
    on: {
      done: () => ({ ...creation.found, error_code: null }),
      failed: (failed_step, cause) => ({ failed_step, error_code: codeOf(cause, 'instance.source_failed') }),
      // First: a crash during the clean-up must make the identical request begin anew, not in a half-deleted checkout.
      undoing: () => (creation.row.status === 'reserved' ? undefined : { status: 'reserved', profile: null }),
    },
    write: async (values) => {
      creation.row = await creation.queries.update(creation.row.id, values)
    },
  })

async function first(
  creation: Creation,
  work: (creation: Creation) => Promise<Partial<InstanceRow>>,
): Promise<void> {
  try {
    creation.found = await work(creation)
  } catch (error) {
    creation.isUntouched = creation.isFresh && neverBegan(error)
    throw error
  }
}

const neverBegan = (error: unknown): boolean =>
  error instanceof CodedError && error.cause instanceof SshFailure && !error.cause.sent

export async function profile(creation: Sourced): Promise<void> {
  const { checkout, row, domain } = creation
  const url = domain === undefined ? undefined : `https://${domain}`
  creation.found = { profile: await profileSource(checkout, row, url) }
}

async function profileAndActivate(creation: Creation): Promise<void> {
  await profile(creation)
  creation.found = { ...creation.found, ...(await activated(creation)) }
}

/** The Route is active before its Instance is (RTX-021). */
async function publishAndActivate(creation: Creation): Promise<void> {
  await publish(creation)
  creation.found = await activated(creation)
}

export const publish = ({ checkout, row, routes }: Served): Promise<void> =>
  routes.publish(checkout.session, row)

export const unpublish = ({ checkout, row, routes }: Served): Promise<void> =>
  routes.unpublish(checkout.session.reserving(0), row)

/** An active Instance whose setup list has not run to its end says so from the first moment (INS-016). */
async function activated({ row, projects }: Creation): Promise<Partial<InstanceRow>> {
  const waits = (await projects.steps(row.project_id, 'setup')).length > 0
  return { status: 'active', setup: waits ? 'pending' : null, failed_step: waits ? 'setup' : null }
}

/** Everything of the attempt goes: the directory by its receipt, then the record with its Route (INS-052). */
async function discard({ checkout, store, routes, row, isUntouched }: Creation): Promise<void> {
  if (!isUntouched) await discardAttempt(checkout, row)
  await store.transaction(async (db) => {
    await routes.forget(db, row.id)
    await removeRow(db, row.id)
  })
}

/** A linked worktree of the deployed `default` of the Node where that can be, else a repository of its own (INS-055). */
async function prepareFresh(creation: Creation): Promise<Partial<InstanceRow>> {
  const { checkout, row, queries } = creation
  if (row.worktree_of === null) return prepare(checkout, row)
  const word = await prepareSeeded(creation)
  if (word !== 'unusable') return preparedAs(checkout, row, word)
  // An earlier attempt may have come further.
  await discardAttempt(checkout, row)
  creation.row = await queries.update(row.id, { source_layout: 'checkout', worktree_of: null })
  return prepare(checkout, row)
}

/** An empty repository with its receipt at the path of the row. */
export async function prepare(
  checkout: CheckoutSession,
  row: Pick<InstanceRow, 'name' | 'checkout_path' | 'preparation_id'>,
): Promise<Partial<InstanceRow>> {
  const broken = stepFailed('prepare')
  const { word } = await checkout.session.ask(prepareCheckout, placeOf(row), { broken })
  return preparedAs(checkout, row, word)
}

function preparedAs(
  checkout: CheckoutSession,
  row: Pick<InstanceRow, 'name' | 'checkout_path'>,
  word: Prepared,
): Partial<InstanceRow> {
  switch (word) {
    case 'prepared':
      return { status: 'checkout_prepared' }
    case 'occupied':
      throw fail(row.name === DEFAULT_NAME ? 'instance.default_path_occupied' : 'instance.path_taken', {
        details: { ...nodeDetail(checkout.session), checkout_path: row.checkout_path },
      })
    case 'unsafe':
      throw fail('instance.checkout_path_unsafe', { details: nodeDetail(checkout.session) })
    case 'root-unusable':
      throw fail('node.settings_root_failed', { details: nodeDetail(checkout.session) })
    case 'git-missing':
      throw gitMissing(checkout)
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(checkout, 'prepare', word)
    case 'root-missing':
    case 'folder-missing':
    case 'failed':
      throw fail('instance.source_failed', { details: { ...nodeDetail(checkout.session), step: 'prepare' } })
  }
}

async function source(creation: Creation): Promise<void> {
  const { checkout, row, projects, queries } = creation
  const login = await projects.login(checkout.session.call, checkout.project)
  const defaultBranch = checkout.project.default_branch ?? ''
  const branch = wantedBranch({ name: row.name, branch: row.branch_override }, defaultBranch)
  const root = effectiveRootOf(checkout, row)
  const request = {
    ...placeOf(row),
    login,
    repositoryUrl: checkout.project.repository_url,
    branch,
    defaultBranch,
    applicationDirectory: applicationDirectory(root),
  }
  const broken = stepFailed('checkout')
  const answer =
    row.worktree_of === null
      ? await checkout.session.ask(resolveSource, request, { broken })
      : await checkout.session.ask(
          resolveWorktree,
          { ...request, start: (await requireSeed({ checkout, queries, row })).seed_commit },
          { broken },
        )
  creation.found = {
    status: 'source_resolved',
    selected_branch: branch,
    starting_commit: commitOf(checkout, { branch, defaultBranch, login }, answer),
  }
}

/** The commit that was checked out, or what its answer means. */
export function commitOf(checkout: CheckoutSession, asked: AskedSource, answer: ResolvedSource): string {
  const { branch } = asked
  switch (answer.word) {
    case 'resolved':
      if (answer.submodules > 0) checkout.session.call.note.property('submodules', answer.submodules)
      return answer.commit
    case 'branch-missing':
      throw branchMissing(checkout, asked)
    case 'branch-invalid':
      throw fail('instance.branch_resolution_failed', {
        details: { ...nodeDetail(checkout.session), step: 'branch', branch },
      })
    case 'source-empty':
      throw fetchFailed(checkout, asked, 'empty')
    case 'source-shallow':
      throw fetchFailed(checkout, asked, 'shallow')
    case 'fetch-failed':
      throw fetchFailed(checkout, asked, answer.gitReason)
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(checkout, 'checkout', answer.word)
    case 'git-missing':
      throw gitMissing(checkout)
    case 'checkout-failed':
      throw checkoutFailed(checkout)
    case 'lfs-failed':
    case 'lfs-missing':
      throw lfsRefused(checkout, answer.word)
    default:
      throw directoryProblem(checkout, answer.word)
  }
}

const STORAGE = {
  'storage-full': { reason: 'storage_full', message: 'The disk of the Node is full.' },
  'storage-read-only': { reason: 'storage_read_only', message: 'The disk of the Node is read-only.' },
} as const

export function storageRefused(checkout: CheckoutSession, step: string, word: keyof typeof STORAGE): Error {
  const { reason, message } = STORAGE[word]
  return fail('instance.source_failed', {
    message,
    details: { ...nodeDetail(checkout.session), step, reason },
  })
}

const checkoutFailed = (checkout: CheckoutSession): Error =>
  fail('instance.source_failed', { details: { ...nodeDetail(checkout.session), step: 'checkout' } })

/**
 * Deletes what the attempt made on the Node, by its receipt alone (INS-052, INS-053). Throws when it could not finish or
 * could not be asked; whatever is not proven stays and is no residue of the attempt.
 */
async function discardAttempt(checkout: CheckoutSession, row: InstanceRow): Promise<void> {
  const request = {
    ...placeOf(row),
    quarantineId: row.preparation_id,
    mode: 'attempt',
    dropsBranch: row.worktree_of !== null,
  } as const
  const broken = stepFailed('cleanup')
  const { word } = await checkout.session.ask(discardCheckout, request, { broken, cleanup: true })
  if (finished.has(word)) return
  throw fail('instance.source_failed', { details: { ...nodeDetail(checkout.session), step: 'cleanup' } })
}

// A missing folder holds nothing, and what lacks the receipt or lies behind a link was not made by the attempt.
const finished: ReadonlySet<string> = new Set(['gone', 'root-missing', 'folder-missing', 'foreign', 'unsafe'])
