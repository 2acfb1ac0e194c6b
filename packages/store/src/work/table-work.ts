import type { Clock, Ids } from '@fleet/kernel'
import type { Kysely } from 'kysely'
import { Lease } from '#/lease.ts'
import type { DialectName } from '#/migrations/types.ts'
import type { Row, Tables } from '#/schema.ts'
import {
  addRow,
  buryRow,
  changeRow,
  type Claim,
  claimRow,
  endRow,
  findDue,
  findNextDue,
  hastenRows,
  isRowPostponed,
  listDeadRows,
  listTroubledRows,
  renewRow,
  retryRow,
  retryRows,
  returnRow,
} from '#/work/rows.ts'
import type { Bell } from '#/work/bell.ts'
import type {
  ClaimedWork,
  ClaimRequest,
  DeadWork,
  NewWork,
  TroubledWork,
  TroubleLimits,
  Work,
} from '#/work/work.ts'
import type { Database } from '../database.ts'

export interface TableWorkOptions {
  /** Claims and renewals may be lost in a power cut: nothing runs then. */
  readonly db: Kysely<Tables>
  readonly durable: Kysely<Tables>
  readonly dialect: DialectName
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  readonly gatewayId: string
  readonly bell: Bell
  /** Aborts when the store closes. */
  readonly closing: AbortSignal
}

/** Work as rows with leases. As for locks, the gateways' clocks must agree to within a fraction of the lease. */
export class TableWork implements Work {
  readonly #options: TableWorkOptions
  /** Ids of what this process works on. */
  readonly #inFlight = new Set<number>()

  constructor(options: TableWorkOptions) {
    this.#options = options
  }

  async add(
    { kind, key, payload, callerNodeId, dueAt, postpones = false }: NewWork,
    given?: Database,
  ): Promise<void> {
    const { clock, ids, bell } = this.#options
    const db = given ?? this.#options.durable
    const row = {
      kind,
      key: key ?? null,
      payload: JSON.stringify(payload),
      caller_node_id: callerNodeId ?? null,
      status: 'waiting',
      due_at: dueAt.toISOString(),
      request_id: ids.uuid(),
      created_at: clock.now().toISOString(),
    } as const
    await addRow(db, row, { postpones })
    await bell.ring(db)
  }

  async claim({ kinds, leaseSeconds }: ClaimRequest): Promise<ClaimedWork | undefined> {
    const { db, dialect, clock, ids, gatewayId, closing } = this.#options
    const now = clock.now()
    const token = ids.uuid()
    const expiresAt = new Date(now.getTime() + leaseSeconds * 1000).toISOString()
    const except = [...this.#inFlight]
    const values = { kinds, except, now: now.toISOString(), token, gateway: gatewayId, expiresAt }
    const row = await claimRow(db, dialect, values)
    if (!row) return undefined
    const claim = { id: row.id, token }
    const renew = (end: string): Promise<boolean> => renewRow(db, claim, end)
    const lease = new Lease({ clock, leaseSeconds, expiresAt, closing, renew })
    this.#inFlight.add(row.id)
    const dispose = (): void => {
      lease.end()
      this.#inFlight.delete(row.id)
    }
    return new ClaimedRow(row, claim, lease, { ...this.#options, dispose })
  }

  async dueAt(kind: string, key: string): Promise<Date | undefined> {
    const due = await findDue(this.#options.db, kind, key)
    return due === undefined ? undefined : new Date(due)
  }

  isPostponed(kind: string, key: string, now: Date): Promise<boolean> {
    return isRowPostponed(this.#options.db, { kind, key, now: now.toISOString() })
  }

  async nextDueAt(kinds: readonly string[]): Promise<Date | undefined> {
    const next = await findNextDue(this.#options.db, kinds)
    return next === undefined ? undefined : new Date(next)
  }

  async listDead(): Promise<readonly DeadWork[]> {
    const rows = await listDeadRows(this.#options.db)
    return rows.map(deadWork)
  }

  async listTroubled({ failedAttempts, overdueSince }: TroubleLimits): Promise<readonly TroubledWork[]> {
    const rows = await listTroubledRows(this.#options.db, failedAttempts, overdueSince.toISOString())
    return rows.map((row) => ({
      ...deadWork(row),
      trouble: row.status === 'dead' ? 'dead' : row.attempts >= failedAttempts ? 'failing' : 'overdue',
      dueAt: new Date(row.due_at),
    }))
  }

  async retryFailed(): Promise<number> {
    const { clock, bell, durable } = this.#options
    const count = await retryRows(durable, clock.now().toISOString())
    if (count > 0) await bell.ring(durable)
    return count
  }

  async hasten(reached: Date): Promise<void> {
    const { clock, durable } = this.#options
    await hastenRows(durable, clock.now().toISOString(), reached.toISOString())
  }

  onAdded(listener: () => void): Disposable {
    return this.#options.bell.listen(listener)
  }
}

const deadWork = (row: Row<'work'>): DeadWork => ({
  id: row.id,
  kind: row.kind,
  key: row.key,
  attempts: row.attempts,
  errorCode: row.error_code,
  requestId: row.request_id,
})

interface ClaimedDeps extends Pick<TableWorkOptions, 'clock' | 'ids'> {
  /** Ends the lease. */
  readonly dispose: () => void
}

class ClaimedRow implements ClaimedWork {
  readonly id: number
  readonly kind: string
  readonly payload: unknown
  readonly callerNodeId: number | undefined
  readonly requestId: string
  readonly attempts: number
  readonly #claim: Claim
  readonly #lease: Lease
  readonly #deps: ClaimedDeps

  constructor(row: Row<'work'>, claim: Claim, lease: Lease, deps: ClaimedDeps) {
    this.id = row.id
    this.kind = row.kind
    this.payload = JSON.parse(row.payload)
    this.callerNodeId = row.caller_node_id ?? undefined
    this.requestId = row.request_id
    this.attempts = row.attempts
    this.#claim = claim
    this.#lease = lease
    this.#deps = deps
  }

  get held(): boolean {
    return this.#lease.held
  }
  get lost(): AbortSignal {
    return this.#lease.lost
  }
  done(db: Database): Promise<void> {
    return endRow(db, this.#claim, this.#deps.ids.uuid())
  }
  repeat(db: Database, dueAt: Date): Promise<void> {
    const fresh = { attempts: 0, error_code: null, request_id: this.#deps.ids.uuid() }
    return changeRow(db, this.#claim, { ...fresh, status: 'waiting', due_at: dueAt.toISOString() })
  }
  retry(db: Database, dueAt: Date, errorCode: string): Promise<void> {
    return retryRow(db, this.#claim, { due: dueAt.toISOString(), code: errorCode })
  }
  bury(db: Database, errorCode: string): Promise<void> {
    return buryRow(db, this.#claim, errorCode)
  }
  returned(db: Database): Promise<void> {
    return returnRow(db, this.#claim, this.#deps.clock.now().toISOString())
  }
  /** Ends the renewals; the row itself ends by one of the endings, or its lease runs out. */
  [Symbol.dispose](): void {
    this.#deps.dispose()
  }
}
