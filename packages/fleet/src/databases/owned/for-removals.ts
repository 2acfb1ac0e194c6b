import { requireNobody, requireUnnamed, usersOf } from '#/databases/attachments/require-detached.ts'
import { filesInCheckouts, ownedBy, residuesNamed } from '#/databases/owned/queries.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import type { ValuesDeps } from '#/databases/owned/users-by-values.ts'
import type { OwnedDatabases } from '#/instances/api.ts'

/** What a removal of Instances asks of the databases that they own. */
export const makeOwnedDatabases = (
  deps: Pick<OwnedDeps, 'store' | 'dependents' | 'instances'> & ValuesDeps,
): OwnedDatabases => ({
  ownedBy: async (ids) => {
    const owned = (await Promise.all(ids.map((id) => ownedBy(deps.store.db, id)))).flat()
    const files = await filesInCheckouts(deps.store.db, ids)
    return [...owned, ...files.filter(({ id }) => !owned.some((other) => other.id === id))]
  },
  requireUnused: async (owned, ids) => {
    for (const record of owned) {
      const { attachments, depending } = await usersOf(deps.dependents, deps.store.db, record.slug)
      const staying = []
      for (const attachment of attachments)
        if (!(await isLeaving(deps, attachment.instance_id, ids))) staying.push(attachment)
      const others = depending.filter(({ instance_id: id }) => id === null || !ids.includes(id))
      requireNobody({ attachments: staying, depending: others }, inUse(record.slug))
      await requireUnnamed(deps, record, ids)
    }
  },
  retainedOf: async (removed) => {
    const kept = []
    for (const { server_id, database_name: database } of removed) {
      if (server_id === null || database === null) continue
      for (const { node_id, node } of await residuesNamed(deps.store.db, server_id, database))
        kept.push({ node_id, node, path: null, database })
    }
    return kept
  },
})

/** Also by a removal of its own. */
const isLeaving = async (
  { instances }: Pick<OwnedDeps, 'instances'>,
  id: number,
  leaving: readonly number[],
): Promise<boolean> => leaving.includes(id) || (await instances.find(id))?.status === 'removing'

const inUse = (slug: string) => ({
  slug,
  message: `The database ${slug} is removed with its Instance, and others use it. Detach it from each Instance of the details (\`fleet instance:database:remove INSTANCE ${slug} --prefix PREFIX\`) and destroy each Process (\`fleet process:destroy PROCESS\`) first.`,
})
