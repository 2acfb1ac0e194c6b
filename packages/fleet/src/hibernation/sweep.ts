import * as z from 'zod'
import type { Call } from '#/call.ts'
import { HALT } from '#/hibernation/halt.ts'
import { PRUNE } from '#/hibernation/prune.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { type Due, dueOf } from '#/hibernation/rules.ts'
import { codeOf } from '#/error-details.ts'
import { readMarkers } from '#/processes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const KINDS = { halt: HALT, prune: PRUNE } as const satisfies Record<NonNullable<Due>, string>

/** Finds Instances that nobody uses (HIB-003). A Node that does not answer keeps no other from sleeping. */
export const sweepKind = (deps: HibernationDeps): WorkKind =>
  workKind({
    name: 'hibernation:sweep',
    payload: z.null(),
    everySeconds: deps.settings.sweepSeconds,
    unrecorded: 'tick',
    run: async (call) => {
      const sleepy = await deps.processes.sleepy(deps.store.db)
      await Promise.all([...sleepy].map(([nodeId, instanceIds]) => look(deps, call, nodeId, instanceIds)))
    },
  })

async function look(
  deps: HibernationDeps,
  call: Call,
  nodeId: number,
  instanceIds: readonly number[],
): Promise<void> {
  const { root = '', store, clock, settings } = deps
  try {
    const node = await deps.nodes.find(nodeId)
    if (node?.status !== 'active') return
    const session = deps.nodes.sessions.overTunnel(call, node)
    const markers = await session.ask(readMarkers, { root, instanceIds })
    for (const [instanceId, found] of markers) {
      const due = dueOf(found, settings)
      if (due === undefined) continue
      const payload = { instance_id: instanceId }
      await store.work.add({ kind: KINDS[due], key: String(instanceId), payload, dueAt: clock.now() })
    }
  } catch (error) {
    call.log('a Node could not be asked which Instances are idle', { node: nodeId, code: codeOf(error) })
  }
}
