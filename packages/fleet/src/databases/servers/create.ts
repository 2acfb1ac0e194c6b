import { fail, type InputOf } from '@fleet/contract'
import type { Clock, Ids } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { AdminDeps } from '#/databases/servers/admin.ts'
import { engineRule, imageOf, type ServerImage } from '#/databases/servers/engines.ts'
import {
  countDatabases,
  findServer,
  insertServer,
  lockPortsOf,
  runtimesOn,
  serversOn,
  updateServer,
} from '#/databases/servers/queries.ts'
import { presentServer } from '#/databases/servers/present.ts'
import { publishedPorts } from '#/databases/servers/published-ports.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { sealRootPassword } from '#/databases/servers/root-password.ts'
import { createServer } from '#/databases/servers/steps/creation.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { nodeDetail, type NodeRecord, type Nodes, requireOwnMachine } from '#/nodes/api.ts'

export interface ServerDeps extends AdminDeps {
  readonly nodes: Pick<Nodes, 'find' | 'sessions' | 'answers'>
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
}

type Input = InputOf<'database:server:create'>

const PASSWORD_BYTES = 32

/** Creates a server or resumes its creation (DBS-025, DBS-033). */
export const makeServerCreate =
  (deps: ServerDeps): Handler<'database:server:create'> =>
  async ({ call, input }) => {
    const node = await deps.nodes.find(input.node_id)
    if (!node) throw fail('node.not_found')
    call.note.target(node.id)
    return holding(deps.store, call, lockOf('databaseServer', input.slug), async () => {
      const stored = await storedOrNew(deps, call, node, input)
      call.note.subject('database_server', stored.server.id)
      const server = await finish(deps, call, node, stored.server)
      const count = (await countDatabases(deps.store.db)).get(server.id) ?? 0
      return { data: presentServer(server, count), created: stored.isNew }
    })
  }

async function finish(
  deps: ServerDeps,
  call: Call,
  node: NodeRecord,
  server: ServerRecord,
): Promise<ServerRecord> {
  if (server.status === 'active') return server
  if (server.status === 'removing')
    throw fail('database.server_slug_conflict', {
      message:
        'A database server of this slug is being removed. Finish that with `fleet database:server:destroy`.',
      details: { server: server.slug, status: server.status },
    })
  requireNode(node)
  const session = deps.nodes.sessions.overTunnel(call, node)
  return createServer({ deps, call, node, session, server })
}

function requireNode(node: NodeRecord): void {
  const details = nodeDetail(node)
  if (node.status !== 'active') throw fail('node.not_active', { details })
  if (node.platform === 'macos') throw fail('process.platform_unsupported', { details })
  requireOwnMachine(node, 'docker', 'Docker, which runs database servers')
}

interface Stored {
  readonly server: ServerRecord
  readonly isNew: boolean
}

async function storedOrNew(deps: ServerDeps, call: Call, node: NodeRecord, input: Input): Promise<Stored> {
  const { store } = deps
  const image = imageOf(input.tag)
  const port = input.port ?? engineRule(image.engine).port
  const known = await findServer(store.db, input.slug)
  if (known) return { server: sameOrRefuse(known, node, image, port), isNew: false }
  requireNode(node)
  await deps.containers.requireDocker(deps.nodes.sessions.overTunnel(call, node))
  const password = deps.ids.hex(PASSWORD_BYTES)
  const server = await store.transaction(async (db) => {
    await lockPortsOf(db, node.id)
    await requireFreePort(db, node, port)
    const row = await insertServer(db, {
      slug: input.slug,
      node_id: node.id,
      engine: image.engine,
      tag: image.tag,
      port,
      status: 'provisioning',
      created_at: deps.clock.now().toISOString(),
    })
    return (
      row && updateServer(db, row.id, { root_password: sealRootPassword(store.cipher, row.id, password) })
    )
  })
  if (!server) throw fail('database.server_busy')
  return { server, isNew: true }
}

/** Throws `database.server_slug_conflict` (DBS-037). */
function sameOrRefuse(
  known: ServerRecord,
  node: NodeRecord,
  { tag }: ServerImage,
  port: number,
): ServerRecord {
  if (known.node_id === node.id && imageOf(known.tag).tag === tag && known.port === port) return known
  const { id, slug } = known
  throw fail('database.server_slug_conflict', { details: { database_server: { id, slug } } })
}

/** Throws `database.server_port_in_use` (DBS-038). What is no Process is found when the container starts. */
async function requireFreePort(db: Database, node: NodeRecord, port: number): Promise<void> {
  const servers = await serversOn(db, node.id)
  const server = servers.find((each) => each.port === port)
  const processes = await runtimesOn(db, node.id)
  const process = processes.find(({ runtime_config }) => publishedPorts(runtime_config).includes(port))
  const id = server?.process_id ?? process?.id
  if (server || process)
    throw fail('database.server_port_in_use', { details: { port, ...(id ? { process_id: id } : {}) } })
}
