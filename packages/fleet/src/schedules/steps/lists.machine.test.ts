import { testStepList } from '@fleet/steps/testing'
import { fakeCall, type ServiceFleet, startServiceFleet } from '@fleet/testing'
import { ownerColumns } from '#/instances/api.ts'
import { findSchedule } from '#/schedules/find.ts'
import { insertRow } from '#/schedules/queries.ts'
import { creationLog, type ScheduleCreation, scheduleCreation } from '#/schedules/steps/creation.ts'
import { removalLog, type ScheduleRemoval, scheduleRemoval } from '#/schedules/steps/removal.ts'

const ID = 'b3b0c7a4-2f2e-4d86-9f4a-3a4f7a0c2d11'
const FILES = [
  `etc/fleet/schedules/${ID}.sh`,
  `etc/systemd/system/fleet-schedule-${ID}.service`,
  `etc/systemd/system/fleet-schedule-${ID}.timer`,
]

/** A creation that leaves the timer alone: the half second for which one is watched would be waited for at each crash. */
async function world(status: 'provisioning' | 'active') {
  const fleet = await startServiceFleet()
  await insertRow(fleet.store.db, {
    id: ID,
    ...ownerColumns('node', fleet.node.id),
    name: 'nightly',
    calendar: 'daily',
    command: 'true',
    timeout_seconds: 60,
    starts_enabled: 1,
    desired_timer_state: status === 'active' ? 'enabled' : 'disabled',
    status,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  const schedule = await findSchedule({ ...fleet.deps, instances: fleet.domains.instances.instances }, ID)
  if (!schedule) throw new Error('the Schedule of the test is gone')
  return { fleet, deps: fleet.deps, session: fleet.session, call: fakeCall(), schedule }
}

interface Under {
  readonly fleet: ServiceFleet
}

/** Without the status of the record, which is the log of a creation. */
async function view({ fleet }: Under): Promise<unknown> {
  const timer = `fleet-schedule-${ID}.timer`
  return [
    await fleet.store.db.selectFrom('schedules').select('desired_timer_state').execute(),
    FILES.map((path) => fleet.host.read(path)),
    fleet.host.systemd.isActive(timer),
    fleet.host.systemd.isEnabled(timer),
  ]
}

const close = ({ fleet }: Under): PromiseLike<void> => fleet[Symbol.asyncDispose]()

testStepList<ScheduleCreation & Under>('schedule-creation', {
  list: scheduleCreation,
  fresh: () => world('provisioning'),
  view,
  log: creationLog,
  close,
})

testStepList<ScheduleRemoval & Under>('schedule-removal', {
  list: scheduleRemoval,
  fresh: async () => {
    const context = await world('active')
    for (const path of FILES) context.fleet.host.write(path, `# fleet.schedule.id=${ID}\n`)
    const deps = { ...context.deps, clock: { now: () => new Date(0) } } as never as ScheduleRemoval['deps'] // Nobody waits here.
    return { ...context, deps, endsRun: false, found: { isRunning: false } }
  },
  view,
  log: removalLog,
  // Once the record is gone the removal is done.
  again: async (context) => {
    const left = await context.fleet.store.db.selectFrom('schedules').select('id').execute()
    return left.length === 0 ? undefined : context
  },
  close,
})
