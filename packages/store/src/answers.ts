import { type Clock, within } from '@fleet/kernel'
import { type Kysely, sql } from 'kysely'
import type { DialectName } from '#/migrations/types.ts'
import type { Tables } from '#/schema.ts'

const ANSWER_MILLISECONDS = 5000

/**
 * Whether the database answers now, and takes writes; false as well when it says nothing for 5 s. Who asks meanwhile gets the same
 * answer.
 */
export function makeAnswers(db: Kysely<Tables>, dialect: DialectName, clock: Clock): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined
  return async () => {
    // One question at a time: many that wait would take every connection.
    asking ??= ask(db, dialect).finally(() => (asking = undefined))
    const answer = await within(clock, ANSWER_MILLISECONDS, asking)
    return answer.inTime && answer.value
  }
}

// A standby, or a database that somebody has set so, lets everybody read and no command work.
const READ_ONLY = {
  sqlite: sql<string>`'off'`,
  postgres: sql<string>`current_setting('transaction_read_only')`,
}

async function ask(db: Kysely<Tables>, dialect: DialectName): Promise<boolean> {
  try {
    const row = db.selectFrom('facts').select(READ_ONLY[dialect].as('read_only')).limit(1)
    return (await row.executeTakeFirst())?.read_only !== 'on'
  } catch {
    return false
  }
}
