import { Secret } from '@fleet/kernel'
import type { Cipher } from '@fleet/store'
import type { ServerRecord } from '#/databases/servers/record.ts'

const placeOf = (id: number) =>
  ({ table: 'database_servers', column: 'root_password', row: `${id}` }) as const

/** The sealed root password, bound to its server (DBS-031). */
export const sealRootPassword = (cipher: Cipher, id: number, password: string): string =>
  cipher.seal(placeOf(id), new Secret(password))

/** Throws SealBroken. */
export const openRootPassword = (
  cipher: Cipher,
  { id, root_password }: Pick<ServerRecord, 'id' | 'root_password'>,
): Secret => cipher.open(placeOf(id), root_password ?? '')
