import { posix } from 'node:path'
import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { type Blocked, blockedText } from '#/instances/commands/checking-out.ts'
import { withOperationLock } from '#/instances/locks.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { applicationDirectory, DEFAULT_NAME, wantedBranch } from '#/instances/rules.ts'
import {
  type AskedSource,
  directoryProblem,
  fetchFailed,
  gitMissing,
  lfsRefused,
} from '#/instances/steps/directory-problem.ts'
import { effectiveRootOf, placeOf } from '#/instances/steps/place.ts'
import type { Projects } from '#/projects/api.ts'
import {
  copyCheckout,
  type CopiedCheckout,
  settleCopy as settleScript,
  type SettledCopy,
} from './commands/copy-checkout.ts'
import { copyDatabaseFile } from './copy-database-file.ts'
import { type CopySource, requireCopyable } from './source.ts'

/** A copy on its way. */
interface Work {
  readonly checkout: CheckoutSession
  readonly row: InstanceRow
  readonly source: CopySource | undefined
  readonly store: Pick<Store, 'locks'>
  readonly projects: Pick<Projects, 'login'>
  /** Of its own Route; undefined without one. */
  readonly domain: string | undefined
}

const broken = (step: string) => ({ code: 'instance.copy_failed', details: { step } }) as const

/** Copies the checkout of the source, which nobody removes or moves meanwhile. May be repeated. */
export async function copySource({
  checkout,
  row,
  source,
  store,
  projects,
}: Work): Promise<Partial<InstanceRow>> {
  const { place, record } = requireSource(source)
  const { session } = checkout
  const work = async (): Promise<CopiedCheckout> => {
    const heads = await requireCopyable(projects, checkout, place)
    const request = { ...placeOf(row), source: place, heads }
    return session.ask(copyCheckout, request, { broken: broken('copy') })
  }
  const busy = 'instance.lifecycle_busy'
  const answer = await withOperationLock(store, session.call, record.source.id, busy, work)
  if (answer.word !== 'copied') throw uncopied(checkout, row, answer.word)
  return { status: 'checkout_prepared', copy: { ...record, mode: answer.mode } }
}

/** Makes what was copied a checkout of its own, with copies of the SQLite files as of one moment. May be repeated. */
export async function settleCopied({
  checkout,
  row,
  source,
  domain,
  projects,
}: Work): Promise<Partial<InstanceRow>> {
  const { databases, record } = requireSource(source)
  const branch = wantedBranch(
    { name: row.name, branch: row.branch_override },
    checkout.project.default_branch ?? '',
  )
  const { path, domain: from } = record.source
  const login = await projects.login(checkout.session.call, checkout.project)
  const request = {
    ...placeOf(row),
    login,
    branch,
    applicationDirectory: applicationDirectory(effectiveRootOf(checkout, row)),
    sourcePath: path,
    domains: from === null || domain === undefined ? undefined : { from, to: domain },
  }
  const answer = await checkout.session.ask(settleScript, request, { broken: broken('settle') })
  if (answer.word !== 'settled') throw unsettled(checkout, { branch, login, sourcePath: path }, answer)
  for (const file of new Set([...databases, ...answer.databases])) await snapshot(checkout, row, path, file)
  return { status: 'source_resolved', selected_branch: branch, starting_commit: answer.commit }
}

async function snapshot(
  { session }: CheckoutSession,
  { checkout_path: root }: InstanceRow,
  sourceRoot: string,
  file: string,
): Promise<void> {
  const problem = await copyDatabaseFile(session, {
    from: { path: posix.join(sourceRoot, file), root: sourceRoot },
    to: { path: posix.join(root, file), root },
  })
  if (problem === undefined) return
  const details = { ...nodeDetail(session), step: 'database', path: file, problem }
  throw fail('instance.copy_failed', {
    message:
      problem === 'command_missing'
        ? `The Node has no executable that copies SQLite files, and the source has ${file}. Install it: \`fleet node:converge ${session.node.id} --force\`.`
        : `The SQLite file ${file} of the source could not be copied (${problem}). What was copied was removed again.`,
    details,
  })
}

function requireSource(source: CopySource | undefined): CopySource {
  if (!source) throw fail('instance.copy_source_missing')
  return source
}

function uncopied(
  checkout: CheckoutSession,
  row: InstanceRow,
  word: Exclude<CopiedCheckout['word'], 'copied'>,
): Error {
  const node = nodeDetail(checkout.session)
  switch (word) {
    case 'occupied':
      return fail(row.name === DEFAULT_NAME ? 'instance.default_path_occupied' : 'instance.path_taken', {
        details: { ...node, checkout_path: row.checkout_path },
      })
    case 'changed':
      return fail('instance.copy_source_changed', { details: node })
    case 'root-unusable':
      return fail('node.settings_root_failed', { details: node })
    default:
      return failed(checkout, 'copy', word)
  }
}

function unsettled(
  checkout: CheckoutSession,
  asked: AskedSource & { readonly sourcePath: string },
  answer: Exclude<SettledCopy, { readonly word: 'settled' }>,
): Error {
  const details = { ...nodeDetail(checkout.session), branch: asked.branch }
  switch (answer.word) {
    case 'diverged':
      return fail('instance.copy_branch_diverged', { details })
    case 'branch-invalid':
      return fail('instance.branch_resolution_failed', { details: { ...details, step: 'branch' } })
    case 'fetch-failed':
      return fetchFailed(checkout, asked, answer.gitReason)
    case 'in-the-way':
      return inTheWay(checkout, asked, answer)
    case 'lfs-failed':
    case 'lfs-missing':
      return lfsRefused(checkout, answer.word)
    default:
      return failed(checkout, 'settle', answer.word)
  }
}

/** The source has it too, and the copy is gone by then. */
const inTheWay = (
  { session }: CheckoutSession,
  { branch, sourcePath }: { readonly branch: string; readonly sourcePath: string },
  found: Blocked,
): Error =>
  fail('instance.copy_source_dirty', {
    message: blockedText(
      found,
      { checkoutPath: sourcePath, node: session.node.name },
      { what: `The branch ${branch}`, again: 'repeat the request' },
    ),
    details: { ...nodeDetail(session), branch, reason: 'in_the_way', path: found.path },
  })

type Trouble =
  | Parameters<typeof directoryProblem>[1]
  | 'git-missing'
  | 'storage-full'
  | 'storage-read-only'
  | 'failed'
  | 'locked'

const STORAGE: Readonly<Partial<Record<Trouble, string>>> = {
  'storage-full': 'The disk of the Node is full.',
  'storage-read-only': 'The disk of the Node is read-only.',
}

function failed(checkout: CheckoutSession, step: string, word: Trouble): Error {
  if (word === 'git-missing') return gitMissing(checkout)
  if (word === 'busy' || word === 'unsafe') return directoryProblem(checkout, word)
  const details = { ...nodeDetail(checkout.session), step, reason: word.replaceAll('-', '_') }
  const message = STORAGE[word]
  return fail('instance.copy_failed', message === undefined ? { details } : { message, details })
}
