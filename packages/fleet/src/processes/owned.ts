import { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import { holding, lockOf } from '#/locks/api.ts'
import type { InstanceRuntime } from '#/instances/api.ts'
import type { Call } from '#/call.ts'
import { findProcess } from '#/processes/find.ts'
import { halt } from '#/processes/apply.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { deleteRow, insertResidue, listRows, rowsOnNode } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { markInstance } from '#/processes/sleep/markers.ts'
import { removeProcess } from '#/processes/steps/removal.ts'

/** What the removal of an Instance does with its Processes, under the Instance's operation lock (INS-115). */
export const makeInstanceRuntime = (deps: ProcessesDeps): InstanceRuntime => ({
  stop: (session, instanceId) =>
    eachOf(deps, session.call, instanceId, async (process) => {
      // One that was never installed, whose unit is not ours, or whose Node has nothing to run it with, has nothing to stop.
      try {
        await halt(deps, session, process)
      } catch (error) {
        if (!(error instanceof CodedError) || !NOT_OURS.has(error.code) || isStuck(error)) throw error
      }
    }),
  remove: async (session, instanceId) => {
    const rows = await listRows(deps.store.db, { type: 'instance', id: instanceId })
    const slept = rows.some(({ keep_alive }) => keep_alive === 0)
    await eachOf(deps, session.call, instanceId, async (process) => {
      const { call } = session
      await removeProcess({ deps, call, process, session })
      await call.publish('process.deleted', { id: process.id, name: process.name })
    })
    if (slept) await session.ask(markInstance, { root: deps.root ?? '', instanceId, as: 'forgotten' })
  },
  leaveBehind: async (tx, call, { instanceId, nodeIds }) => {
    const created_at = deps.clock.now().toISOString()
    for (const { id, name, runtime } of await listRows(tx, { type: 'instance', id: instanceId })) {
      for (const node_id of nodeIds)
        await insertResidue(tx, { node_id, process_id: id, name, runtime, created_at })
      await deleteRow(tx, id)
      call.event('process.deleted', { id, name })
    }
  },
})

const NOT_OURS: ReadonlySet<string> = new Set([
  'node.capability_missing',
  'process.runtime_failed',
  'process.unit_conflict',
  'process.container_conflict',
])
const isStuck = ({ code, details }: CodedError): boolean =>
  code === 'process.runtime_failed' && details?.['reason'] !== 'missing'

export async function eachOf(
  deps: ProcessesDeps,
  call: Call,
  instanceId: number,
  work: (process: ProcessRecord) => Promise<void>,
): Promise<void> {
  for (const { id } of await listRows(deps.store.db, { type: 'instance', id: instanceId }))
    await holding(deps.store, call, lockOf('process', id), async () => {
      const process = await findProcess(deps, id)
      if (process) await work(process)
    })
}

/** In the transaction that deletes a Node which was not reached: its own records go with it, or stay with it (NODE-095). */
export async function dropOfNode(tx: Database, call: Call, nodeId: number): Promise<void> {
  for (const { id, name, node_id } of await rowsOnNode(tx, nodeId)) {
    if (node_id === null) continue
    await deleteRow(tx, id)
    call.event('process.deleted', { id, name })
  }
}
