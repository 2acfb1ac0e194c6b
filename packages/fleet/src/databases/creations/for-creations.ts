import { type DatabaseConnectionData, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Row } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type Source, sourceOf } from '#/databases/creations/source.ts'
import { slugOf } from '#/databases/creations/slug.ts'
import { createOnServer } from '#/databases/owned/create.ts'
import { createFromFile } from '#/databases/owned/create-file.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { presentConnection } from '#/databases/present.ts'
import { findConnection } from '#/databases/queries.ts'
import { requireActive } from '#/databases/servers/admin.ts'
import { requireServer } from '#/databases/servers/locators.ts'
import { isServerSilent } from '#/databases/servers/silent.ts'
import type { Environment } from '#/environment/api.ts'
import type { CreationDatabases } from '#/instances/api.ts'
import { type Nodes, requireAccess } from '#/nodes/api.ts'

type InstanceRow = Row<'instances'>

export interface CreationDeps extends OwnedDeps {
  readonly nodes: Nodes
  readonly environment: Environment
}

/** What the creation of an Instance does with databases (INS-044, INS-062). */
export const makeCreationDatabases = (deps: CreationDeps): CreationDatabases => ({
  plan: async (call, { project, node }, { name, server: slug }) => {
    const { store } = deps
    const server = slug === undefined ? undefined : await requireServer(store, slug)
    if (server) requireActive(server)
    const copier = { projectId: project.id, name, nodeId: node.id }
    const source = server ? undefined : await sourceOf(store.db, copier)
    const nodeId = server?.node_id ?? source?.nodeId
    if (nodeId === undefined) return undefined
    // A creation needs a grant on every Node that takes part (INS-040).
    await requireAccess(deps.nodes, call, nodeId)
    await requireFreeSlug(deps, slugOf(project.slug, name))
    return server ? 'server' : 'clone'
  },
  provide: async ({ call }, row) => {
    const instance = await deps.instances.find(row.id)
    if (!instance) throw fail('instance.not_found')
    const slug = slugOf(instance.project.slug, row.name)
    if (row.database_pending === 'server') return provideNew(deps, call, row, slug)
    return cloning(() => provideCopy(deps, call, row, slug))
  },
  isServerSilent,
})

async function provideNew(deps: CreationDeps, call: Call, row: InstanceRow, slug: string): Promise<void> {
  await deps.environment.importFirst(call, row.id)
  const wanted = { slug, server: row.database_server ?? '', instanceId: row.id, isCreation: true }
  const { record, server } = await createOnServer(deps, call, wanted)
  await deps.environment.synchronize(call, row.id)
  await call.publish('database.created', presentConnection(record, server.slug))
}

async function provideCopy(deps: CreationDeps, call: Call, row: InstanceRow, slug: string): Promise<void> {
  await deps.environment.importFirst(call, row.id)
  const { project_id: projectId, node_id: nodeId, name } = row
  const source = await sourceOf(deps.store.db, { projectId, nodeId, name })
  // Somebody has detached it since the Instance was reserved.
  if (!source) return deps.environment.synchronize(call, row.id)
  const data = await copied(deps, call, { slug, instanceId: row.id, source })
  await deps.environment.synchronize(call, row.id)
  await call.publish('database.created', data)
}

interface WantedCopy {
  readonly slug: string
  readonly instanceId: number
  readonly source: Source
}

async function copied(
  deps: CreationDeps,
  call: Call,
  { slug, instanceId, source }: WantedCopy,
): Promise<DatabaseConnectionData> {
  if (source.kind === 'file')
    return presentConnection(await createFromFile(deps, call, { slug, instanceId, copyOf: source }))
  const { server, database: copyOf } = source
  const wanted = { slug, server: server.slug, instanceId, isCreation: true, copyOf }
  return presentConnection((await createOnServer(deps, call, wanted)).record, server.slug)
}

/** Whatever stops a copy is one failure to the caller (INS-069), but for a lock that another request holds. */
async function cloning(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CodedError) || error.code.endsWith('_busy')) throw error
    throw fail('instance.database_clone_failed', {
      details: { ...error.details, reason: error.code },
      cause: error,
    })
  }
}

async function requireFreeSlug({ store }: CreationDeps, slug: string): Promise<void> {
  const taken = await findConnection(store.db, slug)
  if (taken)
    throw fail('database.slug_conflict', { details: { database_connection: { id: taken.id, slug } } })
}
