import type { Database, NewRow, Row } from '@fleet/store'

export type GithubAppRow = Row<'github_apps'>
export type RegistrationRow = Row<'github_registrations'>

// Each table has this row or none.
const ONLY = 1

export const findApp = (db: Database): Promise<GithubAppRow | undefined> =>
  db.selectFrom('github_apps').selectAll().executeTakeFirst()

/** False where there is one already. */
export async function insertApp(db: Database, row: Omit<NewRow<'github_apps'>, 'id'>): Promise<boolean> {
  const inserted = await db
    .insertInto('github_apps')
    .values({ ...row, id: ONLY })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** The app that was there. */
export const deleteApp = (db: Database): Promise<GithubAppRow | undefined> =>
  db.deleteFrom('github_apps').returningAll().executeTakeFirst()

export const findRegistration = (db: Database): Promise<RegistrationRow | undefined> =>
  db.selectFrom('github_registrations').selectAll().executeTakeFirst()

/** In the place of one that was begun before. */
export async function putRegistration(
  db: Database,
  row: Omit<NewRow<'github_registrations'>, 'id'>,
): Promise<void> {
  await db
    .insertInto('github_registrations')
    .values({ ...row, id: ONLY })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** False where another request was faster. */
export async function deleteRegistration(db: Database, stateDigest: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('github_registrations')
    .where('state_digest', '=', stateDigest)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}
