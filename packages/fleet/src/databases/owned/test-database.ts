import { DEFAULT_DATABASE_PREFIX } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { passwordOf } from '#/databases/attachments/add.ts'
import { attachmentsOf } from '#/databases/attachments/queries.ts'
import { keysOf, valuesOf } from '#/databases/attachments/rules.ts'
import { findConnection } from '#/databases/queries.ts'
import type { TestDatabases } from '#/environment/api.ts'

/** The test database of the database that an Instance owns and uses as `DB` (DB-027). */
export const makeTestDatabases = ({ cipher }: Pick<Store, 'cipher'>): TestDatabases => ({
  testDatabase: async (instanceId, db) => {
    const attachments = await attachmentsOf(db, instanceId)
    const attached = attachments.find(({ prefix }) => prefix === DEFAULT_DATABASE_PREFIX)
    const record = attached && (await findConnection(db, attached.slug))
    const name = record?.owner_instance_id === instanceId ? record.test_database : null
    if (!record || name === null) return undefined
    const login = { ...record, database_name: name, path: name }
    return {
      name,
      keys: () => {
        const set = valuesOf(login, passwordOf(cipher, record), DEFAULT_DATABASE_PREFIX)
        return { set, removed: keysOf(DEFAULT_DATABASE_PREFIX).filter((key) => !set.has(key)) }
      },
    }
  },
})
