import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import * as z from 'zod'
import { requireNoTransfer } from '#/instances/api.ts'
import { ready } from '#/processes/connections/values.ts'
import { convergeProcess } from '#/processes/converge.ts'
import { eachOf } from '#/processes/owned.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { listRows } from '#/processes/queries.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const FOLLOW = 'process:follow-domain'

/** Added in the transaction that gives Instances another domain: what runs of them names it (PROC-034). */
export async function followDomainLater(
  { store, clock }: { readonly store: Pick<Store, 'work'>; readonly clock: Clock },
  db: Database,
  instanceIds: readonly number[],
): Promise<void> {
  for (const id of instanceIds) {
    if ((await listRows(db, { type: 'instance', id })).length === 0) continue
    const payload = { instance_id: id }
    await store.work.add({ kind: FOLLOW, key: String(id), payload, dueAt: clock.now() }, db)
  }
}

/** Writes the units of an Instance as its domain now says: what runs is restarted, what is stopped or sleeps stays so. */
export const followDomainKind = (deps: ProcessesDeps): WorkKind =>
  workKind({
    name: FOLLOW,
    payload: z.strictObject({ instance_id: z.int() }),
    run: async (call, { instance_id: id }) => {
      call.note.subject('instance', id)
      await deps.instances.withOperationLock(call, id, 'instance.lifecycle_busy', async () => {
        const instance = await deps.instances.find(id)
        if (instance?.status !== 'active' || instance.environment !== 'development') return
        // Its transfer writes them, on the Node to which it goes.
        requireNoTransfer(instance)
        const session = deps.nodes.sessions.overTunnel(call, instance.node)
        await eachOf(deps, call, id, async (process) => {
          if (process.status !== 'active') return
          await convergeProcess(deps, session, await ready(deps, process))
        })
      })
    },
  })
