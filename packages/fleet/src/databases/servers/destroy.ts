import { fail } from '@fleet/contract'
import type { ServerDeps } from '#/databases/servers/create.ts'
import { requireServer } from '#/databases/servers/locators.ts'
import { presentServer } from '#/databases/servers/present.ts'
import { databasesOf, updateServer } from '#/databases/servers/queries.ts'
import { removalLog, serverRemoval } from '#/databases/servers/steps/removal.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { performSteps } from '#/perform-steps.ts'

const SHOWN = 20

/** Removes a server without databases (DBS-036, DBS-039). */
export const makeServerDestroy =
  (deps: ServerDeps): Handler<'database:server:destroy'> =>
  async ({ call, input, found }) => {
    const { store, nodes } = deps
    const seen = await requireServer(store, input.slug, found?.slug)
    call.note.subject('database_server', seen.id)
    call.note.target(seen.node_id)
    return holding(store, call, lockOf('databaseServer', seen.slug), async () => {
      const server = await store.transaction(async (db) => {
        const current = await requireServer({ db }, seen.slug)
        const slugs = (await databasesOf(db, current.id)).map(({ slug }) => slug)
        if (slugs.length > 0)
          throw fail('database.server_in_use', {
            details: { databases: slugs.slice(0, SHOWN), count: slugs.length },
          })
        return updateServer(db, current.id, { status: 'removing' })
      })
      const node = await nodes.find(server.node_id)
      if (!node) throw fail('node.not_found')
      const session = nodes.sessions.overTunnel(call, node)
      const removal = { deps, call, session, server }
      await performSteps(serverRemoval, removal, { call, log: removalLog(removal) })
      return { data: presentServer(server, 0) }
    })
  }
