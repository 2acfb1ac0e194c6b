import { type Clock, within } from '@fleet/kernel'
import type { Kysely } from 'kysely'
import type { Tables } from '#/schema.ts'

const ANSWER_MILLISECONDS = 5000

/** Whether the database answers now; false as well when it says nothing for 5 s. Who asks meanwhile gets the same answer. */
export function makeAnswers(db: Kysely<Tables>, clock: Clock): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined
  return async () => {
    // One question at a time: many that wait would take every connection.
    asking ??= ask(db).finally(() => (asking = undefined))
    const answer = await within(clock, ANSWER_MILLISECONDS, asking)
    return answer.inTime && answer.value
  }
}

async function ask(db: Kysely<Tables>): Promise<boolean> {
  try {
    await db.selectFrom('facts').select('name').limit(1).execute()
    return true
  } catch {
    return false
  }
}
