import type { Clock, Ids } from '@fleet/kernel'
import type { Kysely } from 'kysely'
import { HeldRow } from '#/held-row.ts'
import { type EndTurn, LockQueue } from '#/lock-queue.ts'
import { claim, findHolder } from '#/lock-rows.ts'
import { type HeldLock, LockBusy, type LockHolder, type LockRequest, type Locks } from '#/locks.ts'
import type { Tables } from '#/schema.ts'

/** Between two looks at a lock that another gateway holds. */
export const POLL_MILLISECONDS = 200

export interface TableLocksOptions {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  /** The same after a restart, and different for every gateway of the fleet. */
  readonly gatewayId: string
  /** Aborts when the store closes. */
  readonly closing: AbortSignal
}

/**
 * Locks as rows, so that several gateways see them, with a queue in front, so that one gateway serves its callers in
 * order. The gateways' clocks must agree to within a fraction of the lease.
 */
export class TableLocks implements Locks {
  readonly #options: TableLocksOptions
  readonly #queue = new LockQueue()
  /** Who has the turn in this gateway, from before its row is written. */
  readonly #turns = new Map<string, LockHolder>()

  constructor(options: TableLocksOptions) {
    this.#options = options
  }

  async acquire(request: LockRequest): Promise<HeldLock> {
    request.signal?.throwIfAborted()
    using wait = new Wait(this.#options.clock, request)
    const turn = await this.#queue.take(request.name, wait.over)
    if (!turn) {
      request.signal?.throwIfAborted()
      throw await this.#behindTurn(request.name)
    }
    const endTurn = this.#note(request, turn)
    try {
      // Here, not before: a turn that came together with the abort must end.
      request.signal?.throwIfAborted()
      return await this.#claim(request, wait, endTurn)
    } catch (error) {
      endTurn()
      throw error
    }
  }

  holderOf(name: string): Promise<LockHolder | undefined> {
    return findHolder(this.#options.db, name, this.#options.clock.now().toISOString())
  }

  #note({ name, operation, requestId }: LockRequest, endTurn: EndTurn): EndTurn {
    const holder = { operation, request_id: requestId, since: this.#options.clock.now().toISOString() }
    this.#turns.set(name, holder)
    return () => {
      if (this.#turns.get(name) === holder) this.#turns.delete(name)
      endTurn()
    }
  }

  async #claim(request: LockRequest, wait: Wait, endTurn: EndTurn): Promise<HeldLock> {
    const { clock } = this.#options
    for (;;) {
      const held = await this.#tryOnce(request, endTurn)
      if (held) return held
      if (wait.over.aborted) throw await this.#busy(request.name)
      await clock.sleep(POLL_MILLISECONDS, wait.over)
      request.signal?.throwIfAborted()
    }
  }

  async #tryOnce(request: LockRequest, endTurn: EndTurn): Promise<HeldLock | undefined> {
    const { clock, closing, db, ids, gatewayId } = this.#options
    const now = clock.now()
    const row = {
      name: request.name,
      token: ids.uuid(),
      gateway: gatewayId,
      operation: request.operation,
      request_id: request.requestId,
      since: now.toISOString(),
      expires_at: new Date(now.getTime() + request.leaseSeconds * 1000).toISOString(),
    }
    if (!(await claim(db, row, row.since))) return undefined
    const { leaseSeconds, lost } = request
    return new HeldRow({ db, clock, row, leaseSeconds, lost, closing, onRelease: endTurn })
  }

  async #busy(name: string): Promise<LockBusy> {
    return new LockBusy(name, await this.holderOf(name))
  }

  // Of two requests at the same moment the first may have its turn and no row yet.
  async #behindTurn(name: string): Promise<LockBusy> {
    const stored = await this.holderOf(name)
    return new LockBusy(name, stored ?? this.#turns.get(name))
  }
}

/** The time a request is ready to wait: `over` aborts at its end or with the request. */
class Wait implements Disposable {
  readonly over: AbortSignal
  readonly #end = new AbortController()

  constructor(clock: Clock, request: LockRequest) {
    const signals = request.signal ? [this.#end.signal, request.signal] : [this.#end.signal]
    this.over = AbortSignal.any(signals)
    if (request.waitMilliseconds <= 0) this.#end.abort()
    else void clock.sleep(request.waitMilliseconds, this.over).then(() => this.#end.abort())
  }

  [Symbol.dispose](): void {
    this.#end.abort()
  }
}
