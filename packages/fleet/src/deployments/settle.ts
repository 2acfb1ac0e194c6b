import type { Call } from '#/call.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { presentDeployment } from '#/deployments/present.ts'
import { type DeploymentRow, findDeployment, listRunning, updateDeployment } from '#/deployments/queries.ts'
import { discardReleases } from '#/deployments/run/discard.ts'
import { FAILED_IN } from '#/deployments/run/failure.ts'
import { storeServed } from '#/deployments/served.ts'
import { type FoundReleases, type InstanceRecord, isProduction, Releases } from '#/instances/api.ts'
import { lockOf } from '#/locks/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'
import * as z from 'zod'

const SWEEP_SECONDS = 60
/** A Node may have been away for months, and PostgreSQL keeps a duration in 32 bits; both of its times are exact. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1

/** Ends the row of a run that its gateway or its client left: the Node says which release it serves. */
export const settleKind = (deps: DeploymentsDeps): WorkKind =>
  workKind({
    name: 'deployment:settle',
    payload: z.strictObject({ deployment_id: z.int() }),
    run: async (call, { deployment_id }) => {
      const row = await findDeployment(deps.store.db, deployment_id)
      if (row?.status !== 'running') return
      call.note.subject('instance', row.instance_id)
      await deps.instances.withOperationLock(call, row.instance_id, 'deployment.operation_busy', async () => {
        const instance = await deps.instances.find(row.instance_id)
        if (instance) await endUnended(deps, call, instance)
      })
    },
  })

/** Finds runs that nobody works on: the lock of their Instance is free, or another request has it. */
export const interruptedKind = (deps: DeploymentsDeps): WorkKind =>
  workKind({
    name: 'deployment:find-interrupted',
    payload: z.null(),
    everySeconds: SWEEP_SECONDS,
    unrecorded: 'tick',
    run: async () => {
      for (const { id, instance_id } of await listRunning(deps.store.db)) {
        const { name } = lockOf('instance', instance_id, { busy: 'deployment.operation_busy' })
        if (await deps.store.locks.holderOf(name)) continue
        await deps.store.work.add({
          kind: 'deployment:settle',
          key: String(id),
          payload: { deployment_id: id },
          dueAt: deps.clock.now(),
        })
      }
    },
  })

/** Under the lock of the Instance: every row of it that is still running ends as the Node says. Returns the release that it serves. */
export async function endUnended(
  deps: DeploymentsDeps,
  call: Call,
  instance: InstanceRecord,
): Promise<string | null> {
  const running = (await listRunning(deps.store.db)).filter((row) => row.instance_id === instance.id)
  if (running.length === 0) return instance.selected_release
  const found = await served(deps, call, instance)
  for (const { id } of running) {
    const row = await findDeployment(deps.store.db, id)
    if (row) await endAs(deps, call, row, found)
  }
  return found?.selected ?? null
}

/** What the Node has; undefined for a development checkout, which has no releases. What preparations left is deleted. */
async function served(
  deps: DeploymentsDeps,
  call: Call,
  instance: InstanceRecord,
): Promise<FoundReleases | undefined> {
  if (!isProduction(instance)) return undefined
  const releases = new Releases(deps.nodes.sessions.overTunnel(call, instance.node), instance)
  const found = await releases.list()
  await discardReleases({ call }, releases, found.partial)
  await deps.store.transaction((db) => storeServed(deps, db, instance, found.selected ?? null))
  return found
}

/** At least 0, also where the clock was set back meanwhile. */
const lastedBetween = (started: string, finished: Date): number =>
  Math.min(Math.max(0, finished.getTime() - Date.parse(started)), LONGEST_MILLISECONDS)

async function endAs(
  { store, clock }: DeploymentsDeps,
  call: Call,
  row: DeploymentRow,
  found: FoundReleases | undefined,
): Promise<void> {
  // Only what is deleted afterwards was left to do.
  const isDone = row.phase === 'cleanup' && found?.selected === row.release
  const finished = clock.now()
  const ended = await updateDeployment(store.db, row.id, {
    status: isDone ? 'succeeded' : 'failed',
    failed_step: isDone
      ? null
      : (row.failed_step ?? (row.phase === null ? 'operation' : FAILED_IN[row.phase])),
    error_code: isDone ? null : (row.error_code ?? 'deployment.interrupted'),
    selected_release: found?.selected ?? null,
    finished_at: finished.toISOString(),
    duration_ms: lastedBetween(row.started_at, finished),
  })
  if (ended) await call.publish('deployment.updated', presentDeployment(ended))
}
