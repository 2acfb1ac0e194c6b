import * as z from 'zod'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { EdgeDeps } from '#/routes/edge/publish.ts'
import { edgeOf } from '#/routes/edge/queries.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

type Deps = EdgeDeps & Pick<RoutesDeps, 'clock'>

const FOLLOW = 'route:follow-router'
const payload = z.strictObject({ cluster_id: z.int() })

/**
 * The ingress of a Cluster leads to its active Router again (CLU-026). A change of the Router waits for none that does not answer: that
 * is stored, and it follows when it does. Until then it leads to the earlier Router, which may serve no more.
 */
export async function followRouter(deps: Deps, call: Call, clusterId: number): Promise<void> {
  const node = await ingressOf(deps, clusterId)
  if (!node) return
  if (await deps.nodes.answers(call, node)) return build(deps, call, node)
  call.log('an ingress does not lead to the Router of its Cluster yet', { node: node.id, cluster: clusterId })
  await deps.store.work.add({
    kind: FOLLOW,
    key: String(clusterId),
    payload: { cluster_id: clusterId },
    dueAt: deps.clock.now(),
  })
}

/** It is whichever Node is the ingress by then; one that does not answer is asked again. */
export const makeFollowKind = (deps: Deps): WorkKind =>
  workKind({
    name: FOLLOW,
    payload,
    run: async (call, { cluster_id }) => {
      const node = await ingressOf(deps, cluster_id)
      if (node) await build(deps, call, node)
    },
  })

async function ingressOf({ store, nodes }: Deps, clusterId: number): Promise<NodeRecord | undefined> {
  const edge = await edgeOf(store.db, clusterId)
  return edge?.ingress && nodes.find(edge.ingress.nodeId)
}

const build = async ({ nodes, webServer }: Deps, call: Call, node: NodeRecord): Promise<void> =>
  void (await webServer.build(nodes.sessions.overTunnel(call, node), 'ingress'))
