import { programOf, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'

/** Whether the parser of the host, which will read it, accepts the calendar (SCHD-003). */
export const tryCalendar: NodeScript<string, void> = {
  source: programOf(textFile('calendar.sh', import.meta.url), START),
  args: (calendar) => [calendar],
  timeoutSeconds: 20,
  reasons: {
    invalid: 'schedule.calendar_invalid',
    'no-systemd': ['node.capability_missing', 'The Node has no systemd, which keeps the time of Schedules.'],
  },
  broken: 'schedule.install_failed',
  read: confirmed('accepted'),
}
