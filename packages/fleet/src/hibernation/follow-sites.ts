import * as z from 'zod'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { SITE_FOLLOWS } from '#/processes/api.ts'
import type { WebServer } from '#/web-server/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

/** Publishes the sites of a Node anew: that of an Instance with its first Process that may sleep wakes it from then on. */
export const siteKind = (
  deps: Pick<HibernationDeps, 'nodes'>,
  webServer: Pick<WebServer, 'build'>,
): WorkKind =>
  workKind({
    name: SITE_FOLLOWS,
    payload: z.strictObject({ node_id: z.int() }),
    run: async (call, { node_id }) => {
      const node = await deps.nodes.find(node_id)
      if (node?.status !== 'active') return
      call.note.target(node_id)
      await webServer.build(deps.nodes.sessions.overTunnel(call, node), 'app-dev')
    },
  })
