import { Secret } from '@fleet/kernel'
import type { Cipher, Place } from '@fleet/store'
import type { ConnectionRecord } from '#/databases/record.ts'

/** The sealed form of a password, bound to its connection (DB-002). */
export const sealPassword = (cipher: Cipher, id: number, password: string): string =>
  cipher.seal(placeOf(id), new Secret(password))

/** The stored password; undefined for a connection without one. Throws SealBroken. */
export const openPassword = (
  cipher: Cipher,
  { id, password }: Pick<ConnectionRecord, 'id' | 'password'>,
): Secret | undefined => (password === null ? undefined : cipher.open(placeOf(id), password))

/** A password that the fleet chose is in its records alone. */
export const RECORD_BROKEN = 'Its record was changed outside Fleet: restore the gateway from a backup.'

/** What helps once the stored password cannot be read. */
export const unreadablePassword = ({
  slug,
  server_id: server,
}: Pick<ConnectionRecord, 'slug' | 'server_id'>): string =>
  `The stored password of the database connection ${slug} cannot be read. ${
    server === null ? `Set it again: \`fleet database:update ${slug} --password\`.` : RECORD_BROKEN
  }`

const placeOf = (id: number): Place => ({
  table: 'database_connections',
  column: 'password',
  row: `${id}`,
})
