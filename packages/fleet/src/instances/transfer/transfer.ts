import { fail, type InputOf, type InstanceData } from '@fleet/contract'
import type { TransferRecord } from '@fleet/store'
import type { StepFailure } from '@fleet/steps'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { nodeDetail } from '#/instances/checkout-session.ts'
import { withDetails } from '#/error-details.ts'
import { holdDevelopmentRole, requireDevelopmentNode, requireNotExcluded } from '#/instances/guards.ts'
import { requireSameNode, withLifecycleLock, withOperationLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { recordOf } from '#/instances/present-record.ts'
import { type InstanceRow, updateRow } from '#/instances/queries.ts'
import { type FoundInstance, presented, requireInstance, requireNodeActive } from '#/instances/require.ts'
import { rulesOf } from '#/instances/rules.ts'
import { requireMovable } from '#/instances/transfer/movable.ts'
import { isMoved, isOpen, presentTransfer, requestOf, transferLog } from '#/instances/transfer/record.ts'
import { requireNoSchedule } from '#/instances/transfer/schedules.ts'
import { planSeed } from '#/instances/transfer/seed.ts'
import { CutoverUnknown, forUndo, instanceTransfer, type Transfer } from '#/instances/transfer/steps.ts'
import { appsRoot, type NodeRecord } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'

type Wanted = Pick<InputOf<'instance:transfer'>, 'node_id' | 'name' | 'sqlite_source_path'>

/** Moves a development Instance to another Node (INS-089 to INS-099); the identical request resumes an open transfer. */
export const makeTransfer =
  (deps: InstanceDeps): Handler<'instance:transfer'> =>
  async ({ call, input, found: seen }) => {
    const { row: known, node } = seen?.instance ?? (await requireInstance(deps, input.instance))
    call.note.subject('instance', known.id)
    call.note.target(node.id)
    return underLocks(deps, call, known, input, async () => {
      const found = await requireInstance(deps, input.instance)
      if (isDone(found.row, input)) return answerOf(deps, found, false)
      requireSameNode(known, found.row, 'instance.lifecycle_busy')
      const destination = await deps.nodes.find(input.node_id)
      const { transfer } = found.row
      const isResumed = isOpen(transfer)
      if (isResumed) requireSame(transfer, input)
      const row = isResumed ? found.row : await accept(deps, call, { ...found, destination, input })
      await perform(deps, call, { ...found, row }, destination)
      return answerOf(deps, await requireInstance(deps, input.instance), !isResumed)
    })
  }

const answerOf = async (
  deps: InstanceDeps,
  { row, project, node }: FoundInstance,
  created: boolean,
): Promise<{ readonly data: InstanceData; readonly created: boolean }> => ({
  data: await presented(deps, row, { project, node }),
  created,
})

/** The locks of the name that it has and of the one that it gets, in byte order, then that of its operations. */
function underLocks<T>(
  deps: InstanceDeps,
  call: Call,
  { id, project_id: projectId, name }: InstanceRow,
  { name: wanted }: Wanted,
  work: () => Promise<T>,
): Promise<T> {
  const names = [...new Set([name, wanted ?? name])].toSorted()
  const withNames = names.reduceRight(
    (inner, each) => () => withLifecycleLock(deps.store, call, { projectId, name: each }, inner),
    () => withOperationLock(deps.store, call, id, 'instance.lifecycle_busy', work),
  )
  return withNames()
}

/** The last transfer was this request, and has ended. */
const isDone = ({ transfer, node_id }: InstanceRow, wanted: Wanted): boolean =>
  transfer?.status === 'completed' && node_id === wanted.node_id && isSame(transfer, wanted)

/** To name the name that it gets anyway asks for nothing else. */
const isSame = (
  { destination_node_id, destination_name, requested_name, sqlite }: TransferRecord,
  { node_id, name, sqlite_source_path }: Wanted,
): boolean =>
  destination_node_id === node_id &&
  sqlite?.source_path === sqlite_source_path &&
  (name === undefined ? requested_name === null : name === destination_name)

/** Throws `instance.transfer_retry_conflict` (INS-096). */
function requireSame(transfer: TransferRecord, wanted: Wanted): void {
  if (isSame(transfer, wanted)) return
  throw fail('instance.transfer_retry_conflict', { details: requestOf(transfer) })
}

interface Requested extends FoundInstance {
  readonly destination: NodeRecord | undefined
  readonly input: Wanted
}

async function accept(deps: InstanceDeps, call: Call, requested: Requested): Promise<InstanceRow> {
  const { row, project, node, destination, input } = requested
  if (!destination) throw fail('node.not_found')
  await requireEligible(deps, { ...requested, destination })
  await deps.projects.requireSettled(project.id)
  const name = input.name ?? row.name
  const named = await deps.queries.findNamed(project.id, name)
  if (named && named.id !== row.id)
    throw fail('instance.identity_conflict', { details: { instance_id: named.id } })
  const path = `${appsRoot(destination).replace(/\/$/, '')}/${project.slug}/${name}`
  if (await deps.queries.isPathTaken(destination.id, path))
    throw fail('instance.destination_exists', {
      details: { ...nodeDetail({ node: destination }), checkout_path: path },
    })
  const moved = recordOf({ row: { ...row, name }, project, node: destination })
  const source = { session: deps.nodes.sessions.overTunnel(call, node), project }
  const ends = { source: source.session, destination: deps.nodes.sessions.overTunnel(call, destination) }
  const [own] = await deps.routes.planMove(moved, { isOpen: false, ...ends })
  if (!own) throw fail('instance.lifecycle_conflict')
  await requireMovable(source, { checkoutPath: row.checkout_path, preparationId: row.preparation_id })
  await deps.moves.requireReady(ends, row.id)
  const { sqlite_source_path: database } = input
  const moving = { row, session: source.session, destination, destinationPath: path }
  const sqlite = database === undefined ? undefined : await planSeed(deps.files, moving, database)
  const transfer: TransferRecord = {
    operation_id: deps.ids.uuid(),
    source_preparation_id: row.preparation_id,
    requested_name: input.name ?? null,
    source_node_id: node.id,
    source_path: row.checkout_path,
    destination_node_id: destination.id,
    destination_name: name,
    destination_path: path,
    destination_domain: own.domain,
    status: 'running',
    steps: {},
    failed_step: null,
    error_code: null,
    content_digest: null,
    sqlite,
  }
  return deps.store.transaction(async (db) => {
    await holdDevelopmentRole(db, destination)
    return updateRow(db, row.id, { transfer })
  })
}

/** Refuses before any change what cannot be moved, in the order of INS-097. */
async function requireEligible(
  { nodes, moves }: InstanceDeps,
  { row, project, node, destination }: FoundInstance & { readonly destination: NodeRecord },
): Promise<void> {
  if (row.environment === 'production') throw fail('instance.production_refused')
  if (rulesOf(row).isLeaving)
    throw fail('instance.removal_conflict', { message: 'The Instance is being removed.' })
  if (!rulesOf(row).isCreated)
    throw fail('instance.lifecycle_conflict', {
      message: `The Instance ${row.name} was never finished. The command that creates it resumes where it stopped.`,
      details: { status: row.status },
    })
  await requireNoSchedule(moves, row.id)
  if (node.id === destination.id)
    throw fail('instance.same_node', { details: nodeDetail({ node: destination }) })
  requireDevelopmentNode(node)
  requireDevelopmentNode(destination)
  await requireNotExcluded(nodes, { project, node: destination })
}

async function perform(
  deps: InstanceDeps,
  call: Call,
  { row, project }: FoundInstance,
  destination: NodeRecord | undefined,
): Promise<void> {
  const { transfer: record } = row
  if (!record) throw new Error('the transfer was not stored')
  const source = await deps.nodes.find(record.source_node_id)
  for (const node of [source, destination]) if (node) requireNodeActive(node)
  const at = (node: NodeRecord | undefined, isNew: boolean) =>
    node && { session: deps.nodes.sessions.overTunnel(call, node), project, isNew }
  const transfer: Transfer = {
    ...deps,
    source: at(source, false),
    destination: at(destination, true),
    row,
    record,
    plan: (ends) => {
      const { node: next } = ends.destination
      const moved = recordOf({ row: { ...row, name: record.destination_name }, project, node: next })
      return deps.routes.planMove(moved, { isOpen: true, ...ends })
    },
  }
  const log = transferLog(
    { queries: deps.queries, row: { ...row, transfer: record } },
    () => transfer.record,
    (stored) => {
      transfer.row = stored
      transfer.record = stored.transfer ?? transfer.record
    },
  )
  await performSteps(instanceTransfer, transfer, {
    call,
    log,
    clock: deps.clock,
    withCall: forUndo,
    kindOf: (cause) => (cause instanceof CutoverUnknown ? 'lost' : undefined),
    errorOf: (failure) => endFailed(deps, transfer, failure),
  })
  await deps.queries.update(row.id, {
    transfer: { ...transfer.record, status: 'completed', failed_step: null, error_code: null },
  })
}

/** Before the cutover a complete clean-up closes the transfer (INS-095). */
async function endFailed(deps: InstanceDeps, transfer: Transfer, failure: StepFailure): Promise<unknown> {
  const { kind, cause, recordFailure, cleanup } = failure
  if (cause instanceof CutoverUnknown)
    return fail('instance.transfer_cleanup_incomplete', { message: UNKNOWN, cause })
  if (kind === 'lost' || recordFailure !== undefined) return cause
  if (cleanup === 'complete')
    transfer.row = await deps.queries.update(transfer.row.id, {
      transfer: { ...transfer.record, status: 'rolled_back' },
    })
  const details = { transfer: presentTransfer(transfer.row) }
  const code = isMoved(transfer.record) ? 'instance.transfer_cleanup_incomplete' : 'instance.transfer_failed'
  if (!isWrapped(cause, isMoved(transfer.record))) return withDetails(cause, details, code)
  const message = cleanup === 'incomplete' ? NOT_PUT_BACK : fail(code).message
  return fail(code, {
    message: `${message} Cause: ${cause.message}`,
    details: { ...cause.details, cause: cause.code, ...details },
    cause,
  })
}

const UNKNOWN =
  'The database of the gateway failed while the Instance moved, so it is not known on which Node it is. Nothing was undone. Repeat the request to finish the transfer.'

const NOT_PUT_BACK =
  'The transfer failed before the Instance moved, and not everything could be put back: see `fleet instance:show`. Repeat the request.'

/**
 * What a Node, a Process or the environment is to blame for, and after the cutover everything but a changed old checkout. The
 * other codes say what to do about the Instance, its path or its Routes.
 */
const isWrapped = (cause: unknown, isAfter: boolean): cause is CodedError =>
  cause instanceof CodedError &&
  (isAfter ? cause.code !== 'instance.transfer_cleanup_conflict' : WRAPPED.test(cause.code))
const WRAPPED = /^(?:node|command|process|env)\./
