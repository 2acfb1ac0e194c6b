import type { Kysely } from 'kysely'
import type { LockHolder } from '#/locks.ts'
import type { Tables } from '#/schema.ts'

/** One attempt's row. */
export interface LockClaim extends LockHolder {
  readonly name: string
  readonly token: string
  readonly gateway: string
  /** ISO 8601; from then on anybody may take the lock. */
  readonly expires_at: string
}

/** Takes the lock when nobody holds it or its lease has run out at `now`. */
export async function claim(db: Kysely<Tables>, row: LockClaim, now: string): Promise<boolean> {
  const { name: _, ...values } = row
  const taken = await db
    .insertInto('locks')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(values).where('locks.expires_at', '<=', now),
    )
    .returning('token')
    .executeTakeFirst()
  return taken !== undefined
}

/** Moves the end of a lease. False when the lock is no longer the token's. */
export async function renew(
  db: Kysely<Tables>,
  name: string,
  token: string,
  expiresAt: string,
): Promise<boolean> {
  const result = await db
    .updateTable('locks')
    .set({ expires_at: expiresAt })
    .where('name', '=', name)
    .where('token', '=', token)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function release(db: Kysely<Tables>, name: string, token: string): Promise<void> {
  await db.deleteFrom('locks').where('name', '=', name).where('token', '=', token).execute()
}

/** Locks of a gateway that is starting belong to its killed predecessor. */
export async function releaseAllOf(db: Kysely<Tables>, gateway: string): Promise<void> {
  await db.deleteFrom('locks').where('gateway', '=', gateway).execute()
}

export async function findHolder(
  db: Kysely<Tables>,
  name: string,
  now: string,
): Promise<LockHolder | undefined> {
  return db
    .selectFrom('locks')
    .select(['operation', 'request_id', 'since'])
    .where('name', '=', name)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}
