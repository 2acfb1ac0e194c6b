import { quoteWord } from '@fleet/shell'
import { applicationPathOf, environmentLinesOf, environmentPathOf, isProduction } from '#/instances/api.ts'
import {
  EXECUTABLE_PLACE,
  markerText,
  SYSTEM_PATH,
  UNIT_DIRECTORY,
  unitWord,
  withoutSpecifiers,
  withOwnEnvironment,
} from '#/managed-services/api.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'

export const SCHEDULE_FOLDER = '/etc/fleet/schedules'

export const serviceNameOf = (id: string): string => `fleet-schedule-${id}.service`
export const timerNameOf = (id: string): string => `fleet-schedule-${id}.timer`
export const scriptPathOf = (id: string): string => `${SCHEDULE_FOLDER}/${id}.sh`
/** When the timer last started the service: kept by systemd for a timer that is persistent. */
export const stampPathOf = (id: string): string => `/var/lib/systemd/timers/stamp-${timerNameOf(id)}`

/** Everything that a Schedule has on its Node (SCHD-018). */
export const pathsOf = (id: string): readonly [script: string, service: string, timer: string] => [
  scriptPathOf(id),
  `${UNIT_DIRECTORY}/${serviceNameOf(id)}`,
  `${UNIT_DIRECTORY}/${timerNameOf(id)}`,
]

/** What the three files have in them. */
export interface ScheduleTexts {
  readonly script: string
  readonly service: string
  readonly timer: string
}

/** The user's own command gets time to end by itself. */
const STOP_SECONDS = 30

/** The managed user, or that of a production Instance (SCHD-019). */
export const accountOf = ({ owner: { instance }, node }: ScheduleRecord): string =>
  instance?.production_user ?? node.user

const directoryOf = ({ owner: { instance }, node }: ScheduleRecord): string =>
  instance ? applicationPathOf(instance) : node.user_home

/** A production user may change the `.env`, and reads it by itself: the report is made by root. */
function startOf({ id, owner: { instance } }: ScheduleRecord): string {
  const script = scriptPathOf(id)
  if (!instance || !isProduction(instance)) return `/bin/bash --login ${script}`
  const command = withOwnEnvironment(environmentPathOf(instance), [], ['/bin/sh', script])
  return `:${command.map(unitWord).join(' ')}`
}

export const renderTexts = (schedule: ScheduleRecord): ScheduleTexts => ({
  script: renderScript(schedule),
  service: renderService(schedule),
  timer: renderTimer(schedule),
})

const head = ({ id }: ScheduleRecord): readonly string[] => [
  '# Written by Fleet. Changes made here are replaced.',
  `# ${markerText('schedule', id)}`,
]

/** A login shell may begin anywhere, so the script goes to its directory itself. */
const renderScript = (schedule: ScheduleRecord): string =>
  [...head(schedule), `cd -- ${quoteWord(directoryOf(schedule))} || exit 1`, schedule.command, ''].join('\n')

function renderService(schedule: ScheduleRecord): string {
  return [
    ...head(schedule),
    '[Unit]',
    `Description=Fleet Schedule ${schedule.name}`,
    'After=network-online.target',
    // The sixth start within ten seconds would not happen, and nobody would be told.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=oneshot',
    `User=${accountOf(schedule)}`,
    // A directory that is missing fails the script, and not the report of its end besides.
    `WorkingDirectory=-${withoutSpecifiers(directoryOf(schedule))}`,
    `Environment=${unitWord(`PATH=${SYSTEM_PATH}`)}`,
    `Environment=${unitWord('NODE_USE_SYSTEM_CA=1')}`,
    ...environmentLinesOf(schedule.owner.instance),
    `ExecStart=${startOf(schedule)}`,
    `ExecStopPost=${CALLBACK} ${schedule.id}`,
    `TimeoutStartSec=${schedule.timeout_seconds}`,
    `TimeoutStopSec=${STOP_SECONDS}`,
    '',
  ].join('\n')
}

/** As root, which may always call the gateway; a report that fails is lost and fails no run (SCHD-023). */
const CALLBACK = `-+${EXECUTABLE_PLACE.directory}/fleet node-report --result=\${SERVICE_RESULT}`

const renderTimer = (schedule: ScheduleRecord): string =>
  [
    ...head(schedule),
    '[Unit]',
    `Description=Timer of the Fleet Schedule ${schedule.name}`,
    '',
    '[Timer]',
    `OnCalendar=${withoutSpecifiers(schedule.calendar)}`,
    'AccuracySec=1s',
    'Persistent=true',
    `Unit=${serviceNameOf(schedule.id)}`,
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ].join('\n')
