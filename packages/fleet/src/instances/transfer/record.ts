import { fail, type TransferProgress, type TransferStep, transferSteps } from '@fleet/contract'
import { quoteWord } from '@fleet/shell'
import { eventsLog, type StepEvents, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import type { Row, TransferRecord } from '@fleet/store'

/** An Instance whose transfer is recorded. */
export interface TransferredRow extends Row<'instances'> {
  readonly transfer: TransferRecord
}

const OPEN: ReadonlySet<TransferRecord['status']> = new Set(['running', 'failed'])

/** Neither finished nor rolled back: only the identical request continues (INS-096). */
export const isOpen = (transfer: TransferRecord | null | undefined): transfer is TransferRecord =>
  transfer !== null && transfer !== undefined && OPEN.has(transfer.status)

export const concerns = ({ source_node_id, destination_node_id }: TransferRecord, nodeId: number): boolean =>
  source_node_id === nodeId || destination_node_id === nodeId

/** Throws `instance.transfer_incomplete` while a transfer is open: it owns the Instance and its Routes (INS-099, RTE-173). */
export function requireNoTransfer({ id, transfer }: Pick<Row<'instances'>, 'id' | 'transfer'>): void {
  if (!isOpen(transfer)) return
  throw fail('instance.transfer_incomplete', { details: { instance_id: id, ...requestOf(transfer) } })
}

/** The request that finishes an open transfer. */
export interface TransferRequest extends ReturnType<typeof requestOf> {
  readonly instance_id: number
}

/** The same as a command that works as it is printed. */
export const transferCommand = ({
  instance_id,
  destination_node_id: node,
  name,
  sqlite_source_path: path,
}: TransferRequest): string =>
  [
    `fleet instance:transfer ${instance_id} ${node}`,
    ...(name === null ? [] : [`--name ${name}`]),
    ...(path === undefined ? [] : [`--sqlite-source-path ${quoteWord(path)}`]),
  ].join(' ')

/** What the request that finishes it says. */
export const requestOf = ({ destination_node_id, requested_name: name, sqlite }: TransferRecord) => ({
  destination_node_id,
  name,
  ...(sqlite && { sqlite_source_path: sqlite.source_path }),
})

/**
 * The same for what may change while nobody works on a transfer that is open: before the cutover all is copied again, and after it the
 * Instance is on its new Node, where a value or a Process may be what keeps it from running.
 */
export function requirePlaced(row: Pick<Row<'instances'>, 'id' | 'transfer'>): void {
  const { transfer } = row
  if (!isOpen(transfer)) return
  const isPlaced =
    transfer.status === 'failed' || (isMoved(transfer) && transfer.steps['runtime_start'] === 'done')
  if (!isPlaced) requireNoTransfer(row)
}

/** What an open transfer may have on the Node that the record does not name. */
export interface OtherEnd {
  readonly nodeId: number
  readonly path: string
  readonly preparationId: string
  /** All that the Instance was made of, not a part that was still received. */
  readonly isWhole: boolean
  /** Its Processes were installed there. */
  readonly hasUnits: boolean
}

/** Undefined where nothing of the Instance is there. */
export function otherEnd({
  node_id,
  transfer,
}: Pick<Row<'instances'>, 'node_id' | 'transfer'>): OtherEnd | undefined {
  if (!isOpen(transfer)) return undefined
  const { steps } = transfer
  if (node_id !== transfer.destination_node_id)
    return steps['source_copy'] === undefined || steps['source_copy'] === 'undone'
      ? undefined
      : {
          nodeId: transfer.destination_node_id,
          path: transfer.destination_path,
          preparationId: transfer.operation_id,
          isWhole: transfer.content_digest !== null,
          hasUnits: false,
        }
  if (steps['source_cleanup'] === 'done') return undefined
  const { source_node_id: nodeId, source_path: path, source_preparation_id: preparationId } = transfer
  return { nodeId, path, preparationId, isWhole: true, hasUnits: true }
}

export const isMoved = ({ steps }: Pick<TransferRecord, 'steps'>): boolean => steps['cutover'] === 'done'

/** Stores values of the Instance and answers it as it is then. */
interface TransferStore {
  update(id: number, values: Partial<Row<'instances'>>): Promise<Row<'instances'>>
}

/**
 * The record as the log of its steps. `onWrite` gets the row as it is then. Until the Instance has moved, what was copied is copied
 * again: the Instance was in use since.
 */
export function transferLog(
  { queries, row }: { readonly queries: TransferStore; readonly row: TransferredRow },
  current: () => TransferRecord,
  onWrite: (row: Row<'instances'>) => void,
): StepLog {
  const write = async (values: Partial<TransferRecord>): Promise<void> =>
    onWrite(await queries.update(row.id, { transfer: { ...current(), ...values } }))
  // Only this log wrote them.
  const events = eventsLog(row.transfer.steps as StepEvents, (steps) => write({ steps }))
  return {
    progress: async () => {
      const found = await events.progress()
      if (row.node_id === row.transfer.destination_node_id) return found
      const { stays = [], again = [] } = Object.groupBy(found.done, (step) =>
        step === 'runtime_stop' ? 'stays' : 'again',
      )
      return { done: stays, begun: [...found.begun, ...again] }
    },
    record: async (step, event, cause) => {
      await events.record(step, event, cause)
      if (event === 'failed')
        await write({ status: 'failed', failed_step: stepNamed(step), error_code: codeOf(cause) })
    },
  }
}

const stepNamed = (name: string): TransferStep | null => transferSteps.find((step) => step === name) ?? null

const DONE: ReadonlySet<string> = new Set(['done', 'undone'])

export function presentTransfer({
  id,
  transfer,
}: Pick<Row<'instances'>, 'id' | 'transfer'>): TransferProgress | null {
  if (!transfer) return null
  const { steps, status } = transfer
  const moved = isMoved(transfer)
  const names = transferSteps.filter((step) => step !== 'sqlite-seed' || transfer.sqlite)
  const left = names.filter((step) =>
    moved ? steps[step] !== 'done' : steps[step] !== undefined && steps[step] !== 'undone',
  )
  return {
    operation_id: transfer.operation_id,
    id,
    source_node_id: transfer.source_node_id,
    destination_node_id: transfer.destination_node_id,
    destination_name: transfer.destination_name,
    destination_path: transfer.destination_path,
    destination_domain: transfer.destination_domain,
    sqlite_selected: transfer.sqlite !== undefined,
    status,
    current_step: isOpen(transfer) ? (names.find((step) => !DONE.has(steps[step] ?? '')) ?? null) : null,
    cutover_completed: moved,
    cleanup_completed: steps['source_cleanup'] === 'done',
    failed_step: transfer.failed_step,
    error_code: transfer.error_code,
    recovery_evidence: isOpen(transfer)
      ? {
          rollback_pending: !moved,
          incomplete: left,
          sqlite_source_path: transfer.sqlite?.source_path ?? null,
        }
      : null,
  }
}
