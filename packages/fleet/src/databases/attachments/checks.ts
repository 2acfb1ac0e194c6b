import { DEFAULT_DATABASE_PREFIX } from '@fleet/contract'
import { SealBroken } from '@fleet/store'
import { type AttachmentDeps, replacementOf } from '#/databases/attachments/add.ts'
import { type AttachmentOnNode, attachmentsOn } from '#/databases/attachments/queries.ts'
import { findConnection } from '#/databases/queries.ts'
import { type Check, type FamilyChecks, stored, type Verdict } from '#/nodes/api.ts'

type Deps = Pick<AttachmentDeps, 'store' | 'environment'>

/** What Instances of a Node have stored of the connections that they use (DBD-002, DBD-004, DBD-005). */
export const makeAttachmentChecks = (deps: Deps): FamilyChecks => ({
  family: 'database_connection',
  checksOf: async (_call, { id }) =>
    (await attachmentsOn(deps.store.db, id)).flatMap((each) => checksOf(deps, each)),
})

function checksOf(deps: Deps, attachment: AttachmentOnNode): readonly Check[] {
  const { instance_id, slug, prefix } = attachment
  // As the command that attaches it again takes it.
  const name = prefix === DEFAULT_DATABASE_PREFIX ? slug : `${slug} --prefix ${prefix}`
  const resource = { type: 'instance', id: instance_id, name }
  return [
    stored('database_connection.missing', resource, async () =>
      (await findConnection(deps.store.db, slug))
        ? undefined
        : { expected: 'an existing connection', observed: 'none' },
    ),
    stored('database_connection.env_mismatch', resource, () => mismatchOf(deps, attachment)),
  ]
}

async function mismatchOf(
  { store, environment }: Deps,
  { instance_id, slug, prefix }: AttachmentOnNode,
): Promise<Verdict> {
  const record = await findConnection(store.db, slug)
  if (!record) return undefined
  try {
    const { set, removed } = replacementOf({ store }, record, prefix)
    const values = await environment.stored(instance_id)
    const other = [...set].filter(([key, value]) => values.get(key) !== value).map(([key]) => key)
    const extra = removed.filter((key) => values.has(key))
    if (other.length + extra.length === 0) return undefined
    return { expected: 'the keys of the connection', observed: `${[...other, ...extra].join(', ')} differ` }
  } catch (error) {
    if (error instanceof SealBroken || isUnreadable(error))
      return { unverifiable: 'the password or the configuration cannot be decrypted' }
    throw error
  }
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'database.password_unreadable'
