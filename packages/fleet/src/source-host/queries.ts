import type { Database, NewRow, Row } from '@fleet/store'
import type { SshAddress } from '#/source-host/address.ts'

export type HostKeyRow = Row<'git_host_keys'>

/** By host, port and type. */
export const listHostKeys = (db: Database): Promise<HostKeyRow[]> =>
  db.selectFrom('git_host_keys').selectAll().orderBy('host').orderBy('port').orderBy('type').execute()

/** By type. */
export const hostKeysOf = (db: Database, { host, port }: SshAddress): Promise<HostKeyRow[]> =>
  db
    .selectFrom('git_host_keys')
    .selectAll()
    .where('host', '=', host)
    .where('port', '=', port)
    .orderBy('type')
    .execute()

export async function deleteHostKeys(db: Database, { host, port }: SshAddress): Promise<void> {
  await db.deleteFrom('git_host_keys').where('host', '=', host).where('port', '=', port).execute()
}

/** What another request has recorded meanwhile stays. */
export async function insertHostKeys(
  db: Database,
  rows: ReadonlyArray<NewRow<'git_host_keys'>>,
): Promise<void> {
  await db
    .insertInto('git_host_keys')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
