import { ensureService } from '#/managed-services/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { actOnUnit, type ProcessAction } from '#/processes/commands/act.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import { updateRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { startsAtBoot } from '#/processes/rules.ts'
import { processService } from '#/processes/service.ts'
import { unitNameOf } from '#/processes/unit.ts'

export type ApplyParts = Pick<ProcessesParts, 'store' | 'clock' | 'executables' | 'root' | 'domains'>

/** The domain of the Instance's own Route, which its unit names. */
export const domainOf = async (
  { domains, store }: Pick<ProcessesParts, 'domains' | 'store'>,
  { owner }: ProcessRecord,
): Promise<string | undefined> =>
  owner.type === 'instance' ? (await domains.ownRoute(owner.id, store.db))?.domain : undefined

/** The unit file as the records say; `applied` when it was another one. Throws `process.unit_conflict` and `process.runtime_failed`. */
export async function ensureUnit(
  parts: ApplyParts,
  session: NodeSession,
  process: ProcessRecord,
): Promise<'applied' | 'unchanged'> {
  const service = processService(process, await domainOf(parts, process))
  return (await ensureService(parts, session, service, { start: false })).outcome
}

/** Starts, stops or restarts the unit, and stores the status that was read afterwards (PROC-013, PROC-037). */
export async function act(
  parts: ApplyParts,
  session: NodeSession,
  process: ProcessRecord,
  action: ProcessAction,
): Promise<string> {
  const status = await session.ask(actOnUnit, {
    root: parts.root ?? '',
    id: process.id,
    unit: unitNameOf(process),
    action,
    startsAtBoot: startsAtBoot(process),
  })
  const observed_at = parts.clock.now().toISOString()
  await updateRow(parts.store.db, process.id, { observed_status: status, observed_at })
  return status
}
