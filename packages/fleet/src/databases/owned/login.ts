import { fail } from '@fleet/contract'
import type { Secret } from '@fleet/kernel'
import type { Cipher } from '@fleet/store'
import { openPassword } from '#/databases/password.ts'
import type { ConnectionRecord } from '#/databases/record.ts'

/** What a database on a server is created with. */
export interface OwnedLogin {
  readonly database: string
  readonly test: string | null
  readonly user: string
  readonly password: Secret
}

/** Throws `database.server_command_failed` for a record without a name, a user or a password: nothing is sent for it. */
export function ownedLogin(
  cipher: Cipher,
  row: Pick<ConnectionRecord, 'id' | 'database_name' | 'test_database' | 'username' | 'password'>,
): OwnedLogin {
  const { database_name: database, test_database: test, username: user } = row
  const password = openPassword(cipher, row)
  if (database === null || user === null || !password) throw fail('database.server_command_failed')
  return { database, test, user, password }
}
