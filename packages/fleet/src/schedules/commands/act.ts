import type { ErrorCode } from '@fleet/contract'
import { DURABLE, programOf, textFile } from '@fleet/shell'
import { MARKER, markerText } from '#/managed-services/api.ts'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'
import { serviceNameOf, timerNameOf } from '#/schedules/unit.ts'

/** `run` starts the service and does not wait; `disable` ends the timer alone; `stop` a run besides. */
export type ScheduleAction = 'run' | 'disable' | 'stop'

interface ActionRequest {
  readonly root: string
  readonly id: string
  readonly action: ScheduleAction
}

/** Longer than a command may take to end, by the `TimeoutStopSec` of its service, and its report. */
const ACTION_SECONDS = 90

const actOnUnits: NodeScript<ActionRequest, boolean> = {
  source: programOf(textFile('act.sh', import.meta.url), DURABLE, MARKER),
  args: ({ root, id, action }) => [
    root,
    markerText('schedule', id),
    serviceNameOf(id),
    timerNameOf(id),
    action,
  ],
  timeoutSeconds: ACTION_SECONDS,
  reasons: {},
  broken: 'schedule.run_failed',
  read: (answer) => answer.flag('running'),
}

/** Whether the service runs afterwards, in one round trip. Throws the code of what was asked for, and `schedule.artifact_conflict`. */
export const act = (
  session: NodeSession,
  { root, id, action, broken }: ActionRequest & { readonly broken: ErrorCode },
): Promise<boolean> =>
  session.ask(
    actOnUnits,
    { root, id, action },
    {
      broken,
      reasons: {
        'no-systemd': [
          'node.capability_missing',
          'The Node has no systemd, which keeps the time of Schedules.',
        ],
        missing: [
          broken,
          `The service of the Schedule is missing on the Node. Install it again with \`fleet node:converge ${session.node.id} --force\`.`,
        ],
        foreign: 'schedule.artifact_conflict',
        failed: broken,
      },
    },
  )
