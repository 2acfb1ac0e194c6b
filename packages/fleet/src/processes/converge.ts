import type { NodeSession } from '#/nodes/api.ts'
import { act, ensureArtifact, halt, noteValues } from '#/processes/apply.ts'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { markersOf } from '#/processes/sleep/markers.ts'
import { maySleep } from '#/processes/sleep/sleepy.ts'

/**
 * The unit or container of an active Process as its record says, running or stopped as desired; its lock and that of its Instance are
 * held. Answers the status that was read then, undefined for one that sleeps and stays so.
 */
export async function convergeProcess(
  deps: ProcessesDeps,
  session: NodeSession,
  process: ReadyProcess,
): Promise<string | undefined> {
  const outcome = await ensureArtifact(deps, session, process)
  const stays = process.desired_state === 'stopped'
  if (stays || (await isAsleep(deps, session, process))) {
    const status = stays ? await halt(deps, session, process) : undefined
    await noteValues(deps, process)
    return status
  }
  // What runs with another file than this one does not run as the record says; a container that was created is stopped.
  const isRestarted = outcome === 'applied' && process.runtime === 'systemd'
  return act(deps, session, process, isRestarted ? 'restart' : 'start')
}

/** Whether it is of an Instance that sleeps: its next visitor starts it. Known under the lock alone, since it may fall asleep at any time. */
async function isAsleep(
  { root }: Pick<ProcessesDeps, 'root'>,
  session: NodeSession,
  process: ProcessRecord,
): Promise<boolean> {
  const { instanceId } = process
  if (instanceId === undefined || !maySleep(process)) return false
  const found = await markersOf(session, { root, instanceId })
  return found?.awake === undefined && (found?.slept !== undefined || found?.isHalting === true)
}
