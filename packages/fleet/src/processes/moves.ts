import type { InstanceMoves } from '#/instances/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { removeArtifact } from '#/processes/apply.ts'
import { ready } from '#/processes/connections/values.ts'
import { eachOf } from '#/processes/owned.ts'
import { findDocker } from '#/processes/commands/containers.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { listRows } from '#/processes/queries.ts'
import { addWake, wakeWhereCold } from '#/processes/sleep/mark-started.ts'
import { markInstance, markersOf } from '#/processes/sleep/markers.ts'
import { isSleepy } from '#/processes/sleep/sleepy.ts'
import { createUnit } from '#/processes/steps/creation.ts'

export interface ProcessMoves extends Pick<InstanceMoves, 'resume' | 'withdraw' | 'carrySleep'> {
  /** Throws `node.capability_missing` for a Node without Docker that is to run a container of the Instance. */
  requireRunnable(session: NodeSession, instanceId: number): Promise<void>
}

/** What a transfer does with the Processes of its Instance: their ids and desired states stay (INS-092). */
export const makeProcessMoves = (deps: ProcessesDeps): ProcessMoves => ({
  requireRunnable: async (session, instanceId) => {
    const rows = await listRows(deps.store.db, { type: 'instance', id: instanceId })
    if (rows.some(({ runtime }) => runtime === 'docker')) await session.ask(findDocker, undefined)
  },
  resume: async (session, instanceId) => {
    const { call } = session
    await eachOf(deps, call, instanceId, async (process) => {
      // One that never came to be, or that is being removed, waits for its own request, which works on either Node.
      if (process.status !== 'active') return
      await createUnit({ deps, call, session, process: await ready(deps, process), isOneOfAll: true })
    })
    const rows = await listRows(deps.store.db, { type: 'instance', id: instanceId })
    // No visitor wakes it.
    if (!rows.some(isSleepy)) return void (await wakeWhereCold(deps, session, instanceId))
    const { isAwake } = await session.ask(markInstance, { root: deps.root ?? '', instanceId, as: 'started' })
    // Its dependencies were removed: they are installed again, and what needs them is started once more.
    if (!isAwake) await addWake(deps, instanceId)
  },
  withdraw: async (session, instanceId) => {
    await eachOf(deps, session.call, instanceId, (process) =>
      removeArtifact(deps, session, process, { moves: true }),
    )
    await session.ask(markInstance, { root: deps.root ?? '', instanceId, as: 'forgotten' })
  },
  carrySleep: async (from, to, instanceId) => {
    const root = deps.root ?? ''
    // Also of one without a Process that sleeps: what it lost before that one went may not be back yet.
    const markers = from && (await markersOf(from, { root, instanceId }))
    const isCold = markers?.isCold ?? false
    await to.ask(markInstance, { root, instanceId, as: isCold ? 'cold' : 'forgotten' })
  },
})
