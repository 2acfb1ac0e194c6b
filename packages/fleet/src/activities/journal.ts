import type { ActivityStatus } from '@fleet/contract'
import { type Batcher, type Database, makeBatcher, type NewRow, type Store } from '@fleet/store'
import { ActivityDraft } from '#/activities/draft.ts'
import { makeCloseInterrupted } from '#/activities/interrupted.ts'
import { type StoredRow, publishRow } from '#/activities/notice.ts'
import type { JournalDeps } from '#/activities/deps.ts'
import {
  endActivity,
  insertActivities,
  insertActivitiesForIds,
  insertActivity,
} from '#/activities/queries.ts'
import type { ActivityEntry, Also, Journal, OpenActivity } from '#/activities/record.ts'

// SQLite binds at most 32,766 values and PostgreSQL 65,535; a row has 14.
const ROWS_PER_ROUND = 500

export function makeJournal(deps: JournalDeps): Journal {
  const inHand = new Set<number>()
  const { store } = deps
  const writes: Writes = {
    inHand,
    finished: finishedRows(store),
    reported: publishedRows(store),
    changes: changeRows(store),
  }
  return {
    open: (entry) => new OpenRow(deps, entry, writes),
    ...makeCloseInterrupted(deps, inHand),
  }
}

type FinishedRow = Omit<StoredRow, 'id'> & NewRow<'activities'>
type Write = (db: Database) => Promise<number>

interface Writes {
  /** Ids of the rows that this run left running and will end itself. */
  readonly inHand: Set<number>
  readonly finished: Batcher<NewRow<'activities'>, undefined>
  /** The same for somebody who must know the id. */
  readonly reported: Batcher<NewRow<'activities'>, number>
  readonly changes: Batcher<Write, number>
}

/** Reads and refusals that end together share one insert. Nothing was done for them, so a power cut may lose their rows. */
const finishedRows = ({ relaxed }: Store): Batcher<NewRow<'activities'>, undefined> =>
  makeBatcher({
    maxItems: ROWS_PER_ROUND,
    flush: async (rows) => {
      await insertActivities(relaxed, rows)
      return rows.map(() => undefined)
    },
  })

const publishedRows = ({ relaxed }: Store): Batcher<NewRow<'activities'>, number> =>
  makeBatcher({ maxItems: ROWS_PER_ROUND, flush: (rows) => insertActivitiesForIds(relaxed, rows) })

/** Changes that begin or end together share one commit, which must survive a power cut as their work does. */
const changeRows = (store: Store): Batcher<Write, number> =>
  makeBatcher({
    maxItems: ROWS_PER_ROUND,
    flush: (round) =>
      store.transaction(async (db) => {
        const results: number[] = []
        for (const write of round) results.push(await write(db))
        return results
      }),
  })

class OpenRow implements OpenActivity {
  readonly note: ActivityDraft
  readonly #deps: JournalDeps
  readonly #entry: ActivityEntry
  readonly #writes: Writes
  #callerNodeId: number | null = null
  #id: number | undefined
  #begun: Promise<void> | undefined

  constructor(deps: JournalDeps, entry: ActivityEntry, writes: Writes) {
    this.#deps = deps
    this.#entry = entry
    this.#writes = writes
    this.note = new ActivityDraft(entry)
  }

  caller(nodeId: number): void {
    this.#callerNodeId = nodeId
  }

  async begin(): Promise<void> {
    // The mark says whose restart ends the row; an ended row has no use for it.
    const properties = this.note.properties({ gateway: this.#deps.gatewayId })
    const row = { ...this.#row(), ...this.note.columns(), properties, status: 'running' } as const
    const id = await this.#writes.changes.add(async (db) => {
      const stored = await insertActivity(db, row)
      // Marked before the commit: a sweep that sees the row must know whose it is.
      this.#writes.inHand.add(stored)
      return stored
    })
    this.#id = id
    // The work continues meanwhile; the end waits for it, so that the two are published in order.
    this.#begun = this.#tell('activity.created', {
      id,
      ...row,
      duration_ms: null,
      error_code: null,
    })
  }

  succeed(also?: Also): Promise<void> {
    return this.#end({ status: 'succeeded', error_code: null }, also)
  }

  fail(errorCode: string, also?: Also): Promise<void> {
    return this.#end({ status: 'failed', error_code: errorCode }, also)
  }

  async #end(
    outcome: { readonly status: ActivityStatus; readonly error_code: string | null },
    also?: Also,
  ): Promise<void> {
    const id = this.#id
    const duration_ms = Math.max(0, Math.round(this.#deps.clock.ticks() - this.#entry.startedTicks))
    const ended = { ...outcome, ...this.note.columns(), properties: this.note.properties(), duration_ms }
    const row = { ...this.#row(), ...ended }
    if (id === undefined) return this.#storeFinished(row, also)
    await this.#storeEnd(id, ended, also)
    await this.#begun
    await this.#tell('activity.updated', { id, ...row })
  }

  /** If `also` refuses a success, the row stays running: its failure follows. */
  async #storeEnd(id: number, ended: Partial<NewRow<'activities'>>, also?: Also): Promise<void> {
    const write: Write = async (db) => Number(await endActivity(db, id, ended))
    const { inHand, changes } = this.#writes
    try {
      if (also) await this.#together(also, write)
      else await changes.add(write)
    } catch (error) {
      if (!also || ended.status === 'failed') inHand.delete(id)
      throw error
    }
    inHand.delete(id)
  }

  #together(also: Also, write: Write): Promise<number> {
    return this.#deps.store.transaction(async (db) => {
      await also(db)
      return write(db)
    })
  }

  async #storeFinished(row: FinishedRow, also?: Also): Promise<void> {
    const { finished, reported } = this.#writes
    const isPublished = await this.#deps.publisher.isListening()
    if (!also && !isPublished) return finished.add(row)
    const id = also ? await this.#together(also, (db) => insertActivity(db, row)) : await reported.add(row)
    if (isPublished) return this.#tell('activity.created', { ...row, id })
  }

  async #tell(type: 'activity.created' | 'activity.updated', row: StoredRow): Promise<void> {
    const { publisher } = this.#deps
    if (await publisher.isListening()) await publishRow(publisher, type, row)
  }

  #row(): Pick<
    NewRow<'activities'>,
    'request_id' | 'command' | 'caller_node_id' | 'caller_ip' | 'occurred_at'
  > {
    const { requestId, command, callerAddress, startedAt } = this.#entry
    return {
      request_id: requestId,
      command,
      caller_node_id: this.#callerNodeId,
      caller_ip: callerAddress === '' ? null : callerAddress,
      occurred_at: startedAt.toISOString(),
    }
  }
}
