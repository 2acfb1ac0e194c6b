import { fail } from '@fleet/contract'
import type { ServerDeps } from '#/databases/servers/create.ts'
import { requireServer } from '#/databases/servers/locators.ts'
import { presentServer } from '#/databases/servers/present.ts'
import { databasesOf, updateServer } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { removalLog, serverRemoval } from '#/databases/servers/steps/removal.ts'
import { unreachableOr } from '#/databases/unreachable.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { type NodeRecord, sessionUnlessOffline } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'

const SHOWN = 20

/** Removes a server without databases (DBS-036, DBS-039); with `offline` also where its Node does not answer (decision 0354). */
export const makeServerDestroy =
  (deps: ServerDeps): Handler<'database:server:destroy'> =>
  async ({ call, input, found }) => {
    const { store, nodes } = deps
    const offline = input.offline ?? false
    const seen = await requireServer(store, input.slug, found?.slug)
    call.note.subject('database_server', seen.id)
    call.note.target(seen.node_id)
    call.note.property('offline', offline)
    return holding(store, call, lockOf('databaseServer', seen.slug), async () => {
      const server = await begun(store, seen.slug)
      const node = await nodes.find(server.node_id)
      if (!node) throw fail('node.not_found')
      const session = await sessionUnlessOffline(nodes, call, node, offline)
      const removal = { deps, call, session, server }
      try {
        await performSteps(serverRemoval, removal, { call, log: removalLog(removal) })
      } catch (error) {
        throw unreachableOr(error, node)
      }
      const retained_on_nodes = session ? [] : retainedOf(deps, server, node)
      if (!session) call.note.property('retained', retained_on_nodes)
      return { data: { ...presentServer(server, 0), retained_on_nodes } }
    })
  }

/** From here on nothing is created on it. Throws `database.server_in_use`. */
const begun = (store: ServerDeps['store'], slug: string): Promise<ServerRecord> =>
  store.transaction(async (db) => {
    const current = await requireServer({ db }, slug)
    const slugs = (await databasesOf(db, current.id)).map((each) => each.slug)
    if (slugs.length > 0)
      throw fail('database.server_in_use', {
        details: { databases: slugs.slice(0, SHOWN), count: slugs.length },
      })
    return updateServer(db, current.id, { status: 'removing' })
  })

function retainedOf(
  { containers }: ServerDeps,
  { process_id: id, slug }: ServerRecord,
  { id: node_id, name: node }: NodeRecord,
) {
  if (id === null) return []
  return [{ node_id, node, container: containers.nameOf({ id, name: slug, runtime: 'docker' }) }]
}
