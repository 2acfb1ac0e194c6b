import assert from 'node:assert/strict'
import type { Store } from '@fleet/store'
import { sql } from 'kysely'

/** What a refusal may add to: the Activity of the request, and the locks that it took and gave back. */
const NOT_RECORDS: readonly string[] = ['activities', 'locks', 'work']

/** Fails for an answer of 409 after which a stored record is not what it was before (GW-027). */
export async function refusedUnchanged<A extends { readonly status: number; readonly text: string }>(
  store: Store,
  send: () => Promise<A>,
): Promise<A> {
  const before = await recordsOf(store)
  const answer = await send()
  if (answer.status === 409) assert.deepEqual(await recordsOf(store), before, answer.text)
  return answer
}

async function recordsOf({ db }: Store): Promise<Readonly<Record<string, unknown>>> {
  const records: Record<string, unknown> = {}
  for (const { name } of await db.introspection.getTables()) {
    if (NOT_RECORDS.includes(name)) continue
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    // In an order of their own: PostgreSQL gives a row that was held in a transaction another place.
    records[name] = rows.map((row) => JSON.stringify(row)).toSorted()
  }
  return records
}
