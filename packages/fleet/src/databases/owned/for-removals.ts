import type { Database } from '@fleet/store'
import {
  requireNobody,
  requireUnnamed,
  type Users,
  usersOf,
} from '#/databases/attachments/require-detached.ts'
import { filesInCheckouts, findLeaving, ownedBy, residuesNamed } from '#/databases/owned/queries.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import type { ValuesDeps } from '#/databases/owned/users-by-values.ts'
import { lockConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { OwnedDatabases } from '#/instances/api.ts'

type Deps = Pick<OwnedDeps, 'store' | 'dependents'> & ValuesDeps

/** What a removal of Instances asks of the databases that they own. */
export const makeOwnedDatabases = (deps: Deps): OwnedDatabases => ({
  ownedBy: (ids) => goingWith(deps.store.db, ids),
  requireUnused: async (owned, ids) => {
    for (const record of owned) {
      await requireNobodyElse(deps, deps.store.db, record.slug, ids)
      await requireUnnamed(deps, record, ids)
    }
  },
  holdUnused: async (tx, instanceId, ids) => {
    const owned = await goingWith(tx, [instanceId])
    // Processes take theirs in this order too, so that no two transactions wait for each other.
    for (const { id, slug } of owned.toSorted((one, other) => (one.slug < other.slug ? -1 : 1)))
      if (await lockConnection(tx, id)) await requireNobodyElse(deps, tx, slug, ids)
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

/** What Instances own, and the files in their checkouts, whoever registered them. */
async function goingWith(db: Database, ids: readonly number[]): Promise<readonly ConnectionRecord[]> {
  const owned = (await Promise.all(ids.map((id) => ownedBy(db, id)))).flat()
  const files = await filesInCheckouts(db, ids)
  return [...owned, ...files.filter(({ id }) => !owned.some((other) => other.id === id))]
}

/** Who is removed too does not count, by this removal or by one of its own. */
async function requireNobodyElse(
  { dependents }: Pick<Deps, 'dependents'>,
  db: Database,
  slug: string,
  ids: readonly number[],
): Promise<void> {
  const users = await usersOf(dependents, db, slug)
  const attachments = []
  for (const attachment of users.attachments) {
    const { instance_id: id } = attachment
    if (!ids.includes(id) && !(await findLeaving(db, id))) attachments.push(attachment)
  }
  const depending = users.depending.filter(({ instance_id: id }) => id === null || !ids.includes(id))
  requireNobody({ attachments, depending }, { slug, message: inUse(slug, { attachments, depending }) })
}

/** With a command that works as it is printed, for the first of them. */
function inUse(slug: string, { attachments: [attached], depending: [process] }: Users): string {
  const commands = [
    ...(attached
      ? [`\`fleet instance:database:remove ${attached.instance_id} ${slug} --prefix ${attached.prefix}\``]
      : []),
    ...(process ? [`\`fleet process:destroy ${process.id}\``] : []),
  ]
  return `The database ${slug} is removed with its Instance, and the Instances and Processes of the details use it. Detach it from each and destroy each first: ${commands.join(', ')}.`
}
