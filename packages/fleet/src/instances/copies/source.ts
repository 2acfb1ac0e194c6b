import { type ErrorCode, fail, type InputOf, invalid } from '@fleet/contract'
import type { CopyRecord } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import type { Placement } from '#/instances/guards.ts'
import { requireIdle } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { isSameRepository } from '#/instances/repository.ts'
import { directoryProblem, gitMissing } from '#/instances/steps/directory-problem.ts'
import { requireAccess } from '#/nodes/api.ts'
import type { Projects } from '#/projects/api.ts'
import { effectiveRootOf, placeOf } from '#/instances/steps/place.ts'
import { applicationDirectory } from '#/instances/rules.ts'
import { isOpen } from '#/instances/transfer/record.ts'
import { type CopiedPlace, type ExaminedCopied, examineCopied } from './commands/copy-checkout.ts'

/** What a copy is made from. */
export interface CopySource {
  readonly place: CopiedPlace
  readonly record: CopyRecord
  /** Paths of SQLite files that it uses. */
  readonly databases: readonly string[]
}

type CreateInput = InputOf<'instance:create'>

/**
 * The source that a creation names, examined; undefined without one. Changes nothing. Throws `node_access.required`, the
 * codes of INS-073 and `instance.lifecycle_busy`.
 */
export async function requireCopySource(
  deps: InstanceDeps,
  call: Call,
  placement: Placement,
  input: CreateInput,
): Promise<CopySource | undefined> {
  if (input.source_instance_id === undefined) return undefined
  if (input.database_server !== undefined)
    throw invalid({ database_server: ['a copy has the databases of its source'] })
  const row = await deps.queries.find(input.source_instance_id)
  if (!row) throw fail('instance.copy_source_missing')
  // Before anything is said of it: on another Node it may be none of the caller's (INS-040).
  if (row.node_id !== placement.node.id) await requireAccess(deps.nodes, call, row.node_id)
  requireRecord(row, placement, input)
  await requireIdle(deps.store, row)
  const { project, node } = placement
  const databases = await deps.copies.databaseFiles(row, { project: project.slug, name: input.name })
  const checkout = { session: deps.nodes.sessions.overTunnel(call, node), project }
  if (await deps.copies.isCold(checkout.session, row.id)) throw fail('instance.copy_source_cold')
  const place = copiedPlace(checkout, row)
  await requireCopyable(deps.projects, checkout, place)
  const domain = (await deps.routes.own([row.id])).get(row.id)?.domain ?? null
  const source = { id: row.id, name: row.name, path: row.checkout_path, domain }
  return { place, record: { source, mode: null, shared: [] }, databases }
}

/** What the record alone says. */
function requireRecord(row: InstanceRow, { project, node }: Placement, input: CreateInput): void {
  const details = { source_instance: { id: row.id, name: row.name } }
  const refuse = (code: ErrorCode): never => {
    throw fail(code, { details })
  }
  if (row.project_id !== project.id) refuse('instance.copy_project_mismatch')
  if (row.environment !== 'development') refuse('instance.copy_source_not_development')
  if (row.node_id !== node.id) refuse('instance.copy_node_mismatch')
  if (row.status !== 'active' || row.database_pending !== null || isOpen(row.transfer))
    refuse('instance.copy_source_inactive')
  if (row.source_layout !== 'checkout') refuse('instance.copy_source_layout_invalid')
  if (row.detached === 1 || row.selected_branch === null) refuse('instance.copy_source_branch_invalid')
  if ((input.root ?? project.root) !== (row.root ?? project.root)) refuse('instance.copy_root_mismatch')
}

const copiedPlace = (checkout: Pick<CheckoutSession, 'project'>, row: InstanceRow): CopiedPlace => ({
  ...placeOf(row),
  branch: row.selected_branch ?? '',
  applicationDirectory: applicationDirectory(effectiveRootOf(checkout, row)),
})

const CODES: Readonly<Partial<Record<ExaminedCopied['word'], ErrorCode>>> = {
  absent: 'instance.copy_source_unsafe',
  foreign: 'instance.copy_source_unsafe',
  unsafe: 'instance.copy_source_unsafe',
  'root-missing': 'instance.copy_source_unsafe',
  'folder-missing': 'instance.copy_source_unsafe',
  layout: 'instance.copy_source_layout_invalid',
  branch: 'instance.copy_source_branch_invalid',
  dirty: 'instance.copy_source_dirty',
}

/** Asks the Node. Answers the digest of its heads: that of the copy has to be the same. */
export async function requireCopyable(
  projects: Pick<Projects, 'login'>,
  checkout: CheckoutSession,
  place: CopiedPlace,
): Promise<string> {
  const login = await projects.login(checkout.session.call, checkout.project)
  const broken = { code: 'instance.copy_failed', details: { step: 'examine' } } as const
  const answer = await checkout.session.ask(examineCopied, { ...place, login }, { broken })
  const details = { ...nodeDetail(checkout.session), checkout_path: place.checkoutPath }
  if (answer.word === 'copyable') {
    if (isSameRepository(answer.origin, checkout.project)) return answer.heads
    throw fail('instance.copy_source_unsafe', { details: { ...details, reason: 'origin' } })
  }
  const code = CODES[answer.word]
  if (code === undefined)
    throw answer.word === 'git-missing' ? gitMissing(checkout) : directoryProblem(checkout, 'busy')
  throw fail(code, {
    details: answer.word === 'dirty' ? { ...details, cleanliness: answer.cleanliness } : details,
  })
}
