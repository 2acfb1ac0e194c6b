import type { ProcessData } from '@fleet/contract'
import type { NodeSession } from '#/nodes/api.ts'
import { ready } from '#/processes/connections/values.ts'
import { recordOf } from '#/processes/find.ts'
import { observe } from '#/processes/observe.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { findRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { createUnit } from '#/processes/steps/creation.ts'

/** From the stored record to the unit or container as desired; its lock is held. Answers and publishes it as it is then. */
export async function installProcess(
  deps: ProcessesDeps,
  session: NodeSession,
  process: ProcessRecord,
): Promise<ProcessData> {
  const { call } = session
  await createUnit({ deps, call, session, process: await ready(deps, process) })
  const created = recordOf((await findRow(deps.store.db, process.id)) ?? process, process.owner)
  const seen = await observe(deps, call, [created])
  const data = presentProcess(created, seen.get(created.id))
  await call.publish('process.created', data)
  return data
}
