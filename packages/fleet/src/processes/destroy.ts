import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { sessionUnlessOffline } from '#/nodes/api.ts'
import { findProcess } from '#/processes/find.ts'
import { holdingProcess } from '#/processes/locking.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { removeProcess } from '#/processes/steps/removal.ts'

/** Stops and removes a Process; with `offline` also where its Node does not answer (PROC-015). */
export const makeDestroy =
  (deps: ProcessesDeps): Handler<'process:destroy'> =>
  async ({ call, input, found }) => {
    const seen = found?.process ?? (await findProcess(deps, input.process))
    if (!seen) throw fail('process.not_found')
    call.note.subject('process', seen.id)
    call.note.target(seen.node.id)
    call.note.property('offline', input.offline)
    return holdingProcess(deps, call, seen, async (process) => {
      const server = await deps.databases.serverOf(process.id)
      if (server !== undefined)
        throw fail('process.required_by_database_server', { details: { database_server: server } })
      const route = await deps.routes.routeTo(process.id)
      if (route) throw fail('process.has_routes', { details: { route_id: route.id, domain: route.domain } })
      const session = await sessionUnlessOffline(deps.nodes, call, process.node, input.offline)
      const retained_on_nodes = await removeProcess({ deps, call, process, session })
      const { id, name } = process
      call.event('process.deleted', { id, name })
      const gone = { ...process, status: 'removing', desired_state: 'stopped' } as const
      return { data: { ...presentProcess(gone), retained_on_nodes } }
    })
  }
