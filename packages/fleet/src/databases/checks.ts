import { SealBroken, type Store } from '@fleet/store'
import { openPassword } from '#/databases/password.ts'
import { connectionsOn, connectionsWithoutNode } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { missingOf } from '#/databases/rules.ts'
import { type Check, type FamilyChecks, type Nodes, stored, type Verdict } from '#/nodes/api.ts'

/**
 * Connections by their Node; those without one, and those of a Node that is gone, belong to the gateway's (DBD-001,
 * DBD-003, DBD-005).
 */
export const makeDatabaseChecks = (
  store: Pick<Store, 'db' | 'cipher'>,
  nodes: Pick<Nodes, 'gateway'>,
): FamilyChecks => ({
  family: 'database_connection',
  checksOf: async (_call, { id }) => {
    const own = (await connectionsOn(store.db, id)).map((row) => checkOf(store, row, false))
    if ((await nodes.gateway())?.id !== id) return own
    const others = await connectionsWithoutNode(store.db)
    return [...own, ...others.map((row) => checkOf(store, row, row.node_id !== null))]
  },
})

const checkOf = (store: Pick<Store, 'cipher'>, row: ConnectionRecord, isNodeGone: boolean): Check =>
  stored(
    'database_connection.unhealthy',
    { type: 'database_connection', id: row.id, name: row.slug },
    (): Verdict => {
      if (isNodeGone) return { expected: 'an existing Node', observed: 'a removed Node' }
      const missing = missingOf(row.driver, { ...row, hasPassword: row.password !== null })
      if (missing.length > 0)
        return { expected: 'every required field', observed: `without ${missing.join(', ')}` }
      return passwordVerdict(store, row)
    },
  )

function passwordVerdict({ cipher }: Pick<Store, 'cipher'>, row: ConnectionRecord): Verdict {
  try {
    openPassword(cipher, row)
    return undefined
  } catch (error) {
    if (error instanceof SealBroken) return { unverifiable: 'the password cannot be decrypted' }
    throw error
  }
}
