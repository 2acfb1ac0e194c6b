import { fail } from '@fleet/contract'
import { attachmentsTo } from '#/databases/attachments/queries.ts'
import { requireUnnamed } from '#/databases/attachments/require-detached.ts'
import { connectionById, ownedBy, residuesNamed } from '#/databases/owned/queries.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import type { ValuesDeps } from '#/databases/owned/users-by-values.ts'
import type { OwnedDatabases } from '#/instances/api.ts'

const SHOWN = 20

/** What a removal of Instances asks of the databases that they own. */
export const makeOwnedDatabases = ({
  store,
  dependents,
  instances,
  environment,
}: Pick<OwnedDeps, 'store' | 'dependents' | 'instances'> & ValuesDeps): OwnedDatabases => ({
  ownedBy: async (ids) => (await Promise.all(ids.map((id) => ownedBy(store.db, id)))).flat(),
  requireUnused: async (owned, ids) => {
    const { db } = store
    for (const { slug, id } of owned) {
      const attached = []
      for (const { instance_id, prefix } of await attachmentsTo(db, slug))
        if (!ids.includes(instance_id) && (await instances.find(instance_id))?.status !== 'removing')
          attached.push({ instance_id, prefix })
      const processes = (await dependents.of(db, slug))
        .filter(({ instance_id }) => instance_id === null || !ids.includes(instance_id))
        .map(({ id, name }) => ({ process_id: id, name }))
      if (attached.length + processes.length > 0) throw inUse(slug, { attached, processes })
      const record = await connectionById(db, id)
      if (record) await requireUnnamed({ store, environment }, record, ids)
    }
  },
  retainedOf: async (removed) => {
    const kept = []
    for (const { server_id, database_name: database } of removed) {
      if (server_id === null || database === null) continue
      for (const { node_id, node } of await residuesNamed(store.db, server_id, database))
        kept.push({ node_id, node, path: null, database })
    }
    return kept
  },
})

interface Users {
  readonly attached: ReadonlyArray<{ readonly instance_id: number; readonly prefix: string }>
  readonly processes: ReadonlyArray<{ readonly process_id: number; readonly name: string }>
}

function inUse(slug: string, { attached, processes }: Users) {
  return fail('database.connection_attached', {
    message: `The database ${slug} is removed with its Instance, and others use it. Detach it from each Instance of the details (\`fleet instance:database:remove INSTANCE ${slug}\`) and destroy each Process (\`fleet process:destroy PROCESS\`) first.`,
    details: {
      slug,
      instances: attached.slice(0, SHOWN),
      processes: processes.slice(0, SHOWN),
      count: attached.length + processes.length,
    },
  })
}
