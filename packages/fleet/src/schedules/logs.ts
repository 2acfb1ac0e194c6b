import type { Handler } from '#/handler.ts'
import { readJournal } from '#/managed-services/api.ts'
import { requireFound } from '#/schedules/find.ts'
import { reaching, requireAvailable, requireInstalled } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { serviceNameOf } from '#/schedules/unit.ts'

/** SCHD-014 */
const LOG_SECONDS = 10
const LOG_MAX_BYTES = 1024 * 1024

/** What the service printed, as it is: whoever may read it may run the command. */
export const makeLogs =
  (deps: SchedulesDeps): Handler<'schedule:logs'> =>
  async (request) => {
    const schedule = await requireFound(deps, request)
    requireInstalled(schedule)
    requireAvailable(schedule.owner)
    const { id, node } = schedule
    const session = deps.nodes.sessions.overTunnel(request.call, node)
    const asked = { unit: serviceNameOf(id), lines: request.input.lines, maxBytes: LOG_MAX_BYTES }
    const { lines, isTruncated } = await reaching(node, () =>
      session.ask(readJournal, asked, { broken: 'schedule.logs_failed', timeoutSeconds: LOG_SECONDS }),
    )
    return { data: { output: lines.join('\n'), truncated: isTruncated } }
  }
