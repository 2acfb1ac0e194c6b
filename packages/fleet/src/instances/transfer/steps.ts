import { type DatabaseConnectionData, fail, type TransferStep } from '@fleet/contract'
import type { Store, TransferRecord } from '@fleet/store'
import { type Step, stepList } from '@fleet/steps'
import { type CheckoutSession, nodeDetail, reserving } from '#/instances/checkout-session.ts'
import { holdDevelopmentRole } from '#/instances/guards.ts'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import type {
  HowToMove,
  InstanceMoves,
  InstanceRuntime,
  InstanceRoutes,
  PlannedMove,
} from '#/instances/ports.ts'
import type { InstanceQueries, InstanceRow } from '#/instances/queries.ts'
import { freePort } from '#/instances/rules.ts'
import { storageRefused } from '#/instances/steps/creation.ts'
import { directoryProblem, stepFailed } from '#/instances/steps/directory-problem.ts'
import { applicationDirectoryOf } from '#/instances/steps/place.ts'
import { relaySource } from '#/instances/transfer/relay.ts'
import { requireNoSchedule } from '#/instances/transfer/schedules.ts'
import { detach, isDetached, requireMovable } from '#/instances/transfer/movable.ts'
import {
  type ContentPlace,
  deleteSource,
  settleSource,
} from '#/instances/transfer/commands/transfer-source.ts'
import { carrySeed, dropSeed, isSeedUnchanged, keptOf, releaseSeed } from '#/instances/transfer/seed.ts'

/** A transfer on its way. */
export interface Transfer {
  /** Undefined once its Node was removed, which only the clean-up of a moved Instance survives. */
  readonly source: CheckoutSession | undefined
  /** Undefined once its Node was removed: what was begun can only be undone. */
  readonly destination: CheckoutSession | undefined
  readonly store: Pick<Store, 'transaction'>
  readonly queries: InstanceQueries
  readonly routes: Pick<InstanceRoutes, 'publish' | 'unpublish' | 'move' | 'tellMoved'>
  readonly runtime: Pick<InstanceRuntime, 'stop'>
  readonly moves: Omit<InstanceMoves, 'requireReady'>
  /** What its Routes become; asked when it is needed. */
  readonly plan: (ends: Omit<HowToMove, 'isOpen'>) => Promise<readonly PlannedMove[]>
  /** As stored. */
  row: InstanceRow
  record: TransferRecord
}

/** Nobody knows on which Node the record has the Instance, so nothing may be undone. */
export class CutoverUnknown extends Error {
  override readonly name = 'CutoverUnknown'
  constructor(cause: unknown) {
    super('the record of the Instance could not be read', { cause })
  }
}

const named = <S extends TransferStep>(name: S): S => name

/** In order (INS-093). Until `cutover` a failure puts everything back; from then on the work only goes forward (INS-095). */
export const instanceTransfer = stepList<Transfer>(
  'instance-transfer',
  ({ record: { sqlite } }) => [
    {
      name: named('runtime_stop'),
      run: (transfer) => ends(transfer).runtime.stop(ends(transfer).source.session, transfer.row.id),
      undo: restart,
    },
    {
      name: named('source_copy'),
      run: copy,
      // The source runs again also when the destination is gone and keeps what it has received.
      undo: async (transfer) => {
        await restart(transfer)
        await recordDetached(transfer)
        await discard(transfer)
        const { moves, destination, row } = transfer
        if (destination) await moves.carrySleep(undefined, destination.session, row.id)
      },
    },
    ...(sqlite ? [seed] : []),
    {
      name: named('route_withdrawal'),
      run: (transfer) => ends(transfer).routes.unpublish(ends(transfer).source.session, transfer.row),
      undo: (transfer) => transfer.routes.publish(sourceOf(transfer).session, transfer.row),
    },
    { name: named('cutover'), run: cutOver, commits: true },
    {
      name: named('environment'),
      run: async (transfer) => {
        const { call } = destinationOf(transfer).session
        // Not in the cutover, which nothing else may fail.
        await transfer.routes.tellMoved(call, transfer.row.id)
        return transfer.moves.rebuildEnvironment(call, transfer.row.id, transfer.record.destination_domain)
      },
    },
    {
      name: named('route_publication'),
      run: async (transfer) => {
        const { session } = destinationOf(transfer)
        await transfer.routes.publish(session, transfer.row)
        await transfer.routes.tellMoved(session.call, transfer.row.id)
      },
    },
    {
      name: named('runtime_start'),
      run: (transfer) => transfer.moves.resume(destinationOf(transfer).session, transfer.row.id),
    },
    { name: named('source_cleanup'), run: cleanUp },
  ],
  // The record may have moved without the step being recorded as done.
  { forwardOnly: ({ row, record }) => row.node_id === record.destination_node_id },
)

/** A later moment than that of the checkout, of which its place is left out. */
const seed: Step<Transfer> = {
  name: named('sqlite-seed'),
  run: async (transfer) => {
    const { source, destination, record, queries, row } = ends(transfer)
    const sqlite = await carrySeed({ source: source.session, destination: destination.session, record })
    transfer.row = await queries.update(row.id, { transfer: { ...transfer.record, sqlite } })
    transfer.record = { ...transfer.record, sqlite }
  },
  // The source runs again also when the destination is gone and keeps what it has received.
  undo: async (transfer) => {
    await restart(transfer)
    const { destination, record } = transfer
    if (destination) await dropSeed({ destination: destination.session, record })
  },
}

/** With the time that is kept for undoing. */
export const forUndo = (transfer: Transfer): Transfer => ({
  ...transfer,
  source: transfer.source && reserving(transfer.source, 0),
  destination: transfer.destination && reserving(transfer.destination, 0),
})

function restart(transfer: Transfer): Promise<void> {
  return transfer.moves.resume(sourceOf(transfer).session, transfer.row.id)
}

function sourceOf({ source, record }: Transfer): CheckoutSession {
  return source ?? removed(record.source_node_id)
}

function destinationOf({ destination, record }: Transfer): CheckoutSession {
  return destination ?? removed(record.destination_node_id)
}

/** Both ends, for what begins only while both are there. */
const ends = (transfer: Transfer) => ({
  ...transfer,
  source: sourceOf(transfer),
  destination: destinationOf(transfer),
})

function removed(id: number): never {
  throw fail('node.not_found', {
    message: `Node ${id} was removed while the Instance moved.`,
    details: { node_id: id },
  })
}

const sourcePlace = ({ record }: Transfer): ContentPlace => ({
  kept: keptOf(record),
  checkoutPath: record.source_path,
  preparationId: record.source_preparation_id,
})
const destinationPlace = ({ record }: Transfer): ContentPlace => ({
  kept: keptOf(record),
  checkoutPath: record.destination_path,
  preparationId: record.operation_id,
})

/** What arrived is compared with what the source is afterwards: whoever wrote meanwhile fails the step. */
async function copy(transfer: Transfer): Promise<void> {
  const { source, destination, queries, row, runtime, moves } = ends(transfer)
  const from = { session: source.session, place: sourcePlace(transfer) }
  const to = { session: destination.session, place: destinationPlace(transfer) }
  // Between two attempts the Instance was in use.
  await requireNoSchedule(moves, row.id)
  if (row.source_layout === 'worktree') {
    await detach(source, from.place)
    transfer.row = await queries.update(row.id, DETACHED)
  }
  await requireMovable(source, from.place)
  await runtime.stop(source.session, row.id)
  // A death after the comparison leaves it in place; it is received again, because the source may have changed.
  await discard(transfer)
  const relayed = await relaySource(from, to)
  if (!relayed) throw sourceFailed(source, 'read')
  const { received, now } = relayed
  if (received.word !== 'digested') throw destinationProblem(transfer, received.word)
  if (now === undefined || now.word === 'failed') throw sourceFailed(source, 'compare')
  if (now.word !== 'digested') throw directoryProblem(source, now.word)
  if (now.digest !== received.digest)
    throw fail('instance.source_changed', { details: { ...nodeDetail(source.session), step: 'compare' } })
  const settled = {
    ...to.place,
    sourcePath: transfer.record.source_path,
    applicationDirectory: applicationDirectoryOf(row),
  }
  const { word } = await destination.session.ask(settleSource, settled, { broken: stepFailed('settle') })
  if (word !== 'settled') throw destinationProblem(transfer, word)
  await moves.carrySleep(source.session, destination.session, row.id)
  const record = { ...transfer.record, content_digest: received.digest }
  transfer.row = await queries.update(row.id, { transfer: record })
  transfer.record = record
}

const DETACHED = { source_layout: 'checkout', worktree_of: null } as const

/** A transfer that is undone leaves a record that the checkout is as it says. */
async function recordDetached(transfer: Transfer): Promise<void> {
  const { queries, row } = transfer
  if (row.source_layout === 'worktree' && (await isDetached(sourceOf(transfer), sourcePlace(transfer))))
    transfer.row = await queries.update(row.id, DETACHED)
}

type Problem = Parameters<typeof directoryProblem>[1]

function destinationProblem(
  transfer: Transfer,
  word: Problem | 'occupied' | 'failed' | 'root-unusable' | 'storage-full' | 'storage-read-only',
): Error {
  const { record } = transfer
  const destination = destinationOf(transfer)
  switch (word) {
    case 'occupied':
      return fail('instance.destination_exists', {
        details: { ...nodeDetail(destination.session), checkout_path: record.destination_path },
      })
    case 'root-unusable':
      return fail('node.settings_root_failed', { details: nodeDetail(destination.session) })
    case 'storage-full':
    case 'storage-read-only':
      return storageRefused(destination, 'copy', word)
    case 'failed':
      return sourceFailed(destination, 'copy')
    default:
      return directoryProblem(destination, word)
  }
}

const sourceFailed = ({ session }: CheckoutSession, step: string): Error =>
  fail('instance.source_failed', { details: { ...nodeDetail(session), step } })

const GONE: ReadonlySet<string> = new Set(['gone', 'root-missing', 'folder-missing', 'foreign', 'unsafe'])

async function discard(transfer: Transfer): Promise<void> {
  const { destination, record } = transfer
  // What it has received went with its Node.
  if (!destination) return
  const request = {
    ...destinationPlace(transfer),
    quarantineId: record.operation_id,
    mode: 'attempt',
  } as const
  const { word } = await destination.session.ask(discardCheckout, request, {
    broken: stepFailed('cleanup'),
    cleanup: true,
  })
  if (word === 'busy') throw directoryProblem(destination, word)
  if (!GONE.has(word)) throw sourceFailed(destination, 'cleanup')
}

/** One transaction: from here on the Instance is on the other Node. */
async function cutOver(transfer: Transfer): Promise<void> {
  const { queries, record, source, destination, store, routes, row, moves } = ends(transfer)
  if (row.node_id === record.destination_node_id) return
  const planned = await transfer.plan({ source: source.session, destination: destination.session })
  await recordDomain(transfer, planned)
  const port = freePort(await queries.portsOn(record.destination_node_id))
  if (port === undefined) throw fail('instance.ports_exhausted', { details: nodeDetail(destination.session) })
  let moved: readonly DatabaseConnectionData[] = []
  const failure = await store
    .transaction(async (db) => {
      // Of a transfer that was accepted by an earlier version.
      await holdDevelopmentRole(db, destination.session.node)
      await queries.relocate(db, row.id, {
        node_id: record.destination_node_id,
        name: record.destination_name,
        checkout_path: record.destination_path,
        source_layout: 'checkout',
        preparation_id: record.operation_id,
        vite_port: port,
      })
      await routes.move(db, planned)
      moved = await moves.relocate(db, row.id, {
        from: { nodeId: record.source_node_id, path: record.source_path },
        to: { nodeId: record.destination_node_id, path: record.destination_path },
      })
      const { sqlite } = record
      if (!sqlite || sqlite.is_inside) return
      const outside = await moves.relocate(db, row.id, {
        from: { nodeId: record.source_node_id, path: sqlite.source_path },
        to: { nodeId: record.destination_node_id, path: sqlite.destination_path },
      })
      moved = [...moved, ...outside]
    })
    .then(
      () => undefined,
      (cause: unknown) => ({ cause }),
    )
  // A lost answer to a commit is no failure: what is undone must not be where the record says the Instance is.
  const stored = await queries.find(row.id).catch((cause: unknown) => {
    throw new CutoverUnknown(cause)
  })
  if (failure && stored?.node_id !== record.destination_node_id) throw failure.cause
  transfer.row = stored ?? row
  // What follows may fail, and is resumed after this step.
  for (const connection of moved) await destination.session.call.publish('database.updated', connection)
}

/** Its next Cluster or Node may have got another top-level domain since the request was accepted. */
async function recordDomain(transfer: Transfer, planned: readonly PlannedMove[]): Promise<void> {
  const own = planned.find(({ isOwn }) => isOwn)
  if (!own || own.domain === transfer.record.destination_domain) return
  const record = { ...transfer.record, destination_domain: own.domain }
  transfer.row = await transfer.queries.update(transfer.row.id, { transfer: record })
  transfer.record = record
}

async function cleanUp(transfer: Transfer): Promise<void> {
  const { source, moves, row, record } = transfer
  await releaseSeed({ destination: destinationOf(transfer).session, record })
  // The Node was removed with everything on it.
  if (!source) return
  await moves.withdraw(source.session, row.id)
  const request = { ...sourcePlace(transfer), digest: record.content_digest ?? '' }
  const isUnchanged = await isSeedUnchanged({ source: source.session, record })
  const { word } = isUnchanged
    ? await source.session.ask(deleteSource, request, { broken: stepFailed('cleanup') })
    : ({ word: 'changed' } as const)
  if (word === 'changed')
    throw fail('instance.transfer_cleanup_conflict', {
      details: { ...nodeDetail(source.session), checkout_path: record.source_path },
    })
  // The whole root may be a disk that is not mounted: nothing was proven.
  if (word !== 'deleted') throw sourceFailed(source, 'cleanup')
}
