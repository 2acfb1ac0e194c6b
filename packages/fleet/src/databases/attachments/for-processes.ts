import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { lockedConnection, replacementOf } from '#/databases/attachments/add.ts'
import { findConnection } from '#/databases/queries.ts'
import type { ProcessConnections } from '#/processes/api.ts'

/** What Processes that depend on a connection get of it: the keys of an attachment. */
export const makeProcessConnections = (store: Pick<Store, 'cipher'>): ProcessConnections => ({
  keysOf: async (db, { slug, prefix }) => {
    const record = await findConnection(db, slug)
    if (!record) throw fail('database.not_found', { details: { slug } })
    return replacementOf({ store }, record, prefix)
  },
  hold: async (db, slug) => void (await lockedConnection(db, slug)),
})
