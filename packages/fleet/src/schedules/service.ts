import type { ErrorCode } from '@fleet/contract'
import { admitMarked, type ManagedService, markerText, type ServicePlaces } from '#/managed-services/api.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import {
  accountOf,
  pathsOf,
  renderTexts,
  SCHEDULE_FOLDER,
  scriptPathOf,
  serviceNameOf,
  stampPathOf,
  timerNameOf,
} from '#/schedules/unit.ts'

/** Script, service and timer of a Schedule. The timer runs if it is to; the service is started by it, or by a request. */
export const scheduleService = (
  schedule: ScheduleRecord,
  broken: ErrorCode = 'schedule.install_failed',
): ManagedService => {
  const { id } = schedule
  const { script, service, timer } = renderTexts(schedule)
  const isEnabled = schedule.desired_timer_state === 'enabled'
  return {
    ...placesOf(id, broken),
    // Its command may hold what the other accounts of the Node should not read.
    files: [{ path: scriptPathOf(id), mode: '640', ...readers(schedule) }],
    units: [
      { name: serviceNameOf(id), file: 'own', isEnabled: false, onChange: 'none' },
      { name: timerNameOf(id), file: 'own', isEnabled, onChange: isEnabled ? 'restart' : 'none' },
    ],
    render: () => ({
      files: { [scriptPathOf(id)]: script },
      units: { [serviceNameOf(id)]: service, [timerNameOf(id)]: timer },
    }),
  }
}

const readers = (schedule: ScheduleRecord): { readonly group?: string } => {
  const account = accountOf(schedule)
  return account === 'root' ? {} : { group: account }
}

/** Enough to remove a Schedule of which the id alone is known. */
export const placesOf = (id: string, broken: ErrorCode): ServicePlaces => ({
  name: 'schedule',
  folders: [
    { path: '/etc/fleet', mode: '755', keeping: 'shared' },
    { path: SCHEDULE_FOLDER, mode: '755', keeping: 'shared' },
  ],
  files: [{ path: scriptPathOf(id), mode: '640' }],
  units: [
    { name: serviceNameOf(id), file: 'own', isEnabled: false, onChange: 'none' },
    { name: timerNameOf(id), file: 'own', isEnabled: false, onChange: 'none' },
  ],
  hooks: { admit: admitMarked(markerText('schedule', id), pathsOf(id)) },
  ready: { kind: 'active', seconds: 2 },
  removal: { paths: [stampPathOf(id)] },
  failure: (reason) => ({
    code: reason === 'not_admitted' ? 'schedule.artifact_conflict' : broken,
    details: { timer: timerNameOf(id), reason },
  }),
})
