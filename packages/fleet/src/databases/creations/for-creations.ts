import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { slugOf } from '#/databases/creations/slug.ts'
import { createOnServer } from '#/databases/owned/create.ts'
import type { OwnedParts } from '#/databases/owned/steps/creation.ts'
import { presentConnection } from '#/databases/present.ts'
import { findConnection } from '#/databases/queries.ts'
import { requireActive } from '#/databases/servers/admin.ts'
import { requireServer } from '#/databases/servers/locators.ts'
import type { Environment } from '#/environment/api.ts'
import type { CreationDatabases } from '#/instances/api.ts'
import type { Nodes } from '#/nodes/api.ts'

export interface CreationParts extends OwnedParts {
  readonly nodes: Nodes
  readonly environment: Environment
}

/** What the creation of an Instance does with databases (INS-044, INS-062). */
export const makeCreationDatabases = (parts: CreationParts): CreationDatabases => ({
  plan: async (call, { project }, { name, server: slug }) => {
    if (slug === undefined) return undefined
    const server = await requireServer(parts.store, slug)
    requireActive(server)
    await requireAccess(parts, call, server.node_id)
    await requireFreeSlug(parts, slugOf(project.slug, name))
    return 'server'
  },
  provide: async ({ call }, row) => {
    const { environment } = parts
    const instance = await parts.instances.find(row.id)
    if (!instance || row.database_server === null) throw fail('instance.not_found')
    await environment.importFirst(call, row.id)
    const slug = slugOf(instance.project.slug, row.name)
    const wanted = { slug, server: row.database_server, instanceId: row.id, isCreation: true }
    const { record, server } = await createOnServer(parts, call, wanted)
    await environment.synchronize(call, row.id)
    call.event('database.created', presentConnection(record, server.slug))
  },
})

/** A creation needs a grant on every Node that takes part (INS-040). */
async function requireAccess({ nodes }: CreationParts, { caller }: Call, nodeId: number): Promise<void> {
  if (!caller || (await nodes.mayActOn(caller.id, nodeId))) return
  const node = await nodes.find(nodeId)
  throw fail('node_access.required', {
    details: {
      consumer_node: { id: caller.id, name: caller.name },
      serving_node: node ? { id: node.id, name: node.name } : null,
    },
  })
}

async function requireFreeSlug({ store }: CreationParts, slug: string): Promise<void> {
  const taken = await findConnection(store.db, slug)
  if (taken)
    throw fail('database.slug_conflict', { details: { database_connection: { id: taken.id, slug } } })
}
