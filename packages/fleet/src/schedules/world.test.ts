import type { InputOf, ScheduleData } from '@fleet/contract'
import {
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  type ServiceFleet,
  startServiceFleet,
} from '@fleet/testing'
import type { DialectName } from '@fleet/store'

type Input = InputOf<'schedule:create'>

/** A host whose parser takes every calendar but nonsense; the lab has a real one. */
export async function startScheduleFleet(dialect?: DialectName): Promise<ServiceFleet> {
  const fleet = await startServiceFleet(dialect)
  fleet.host.install('systemd-analyze', 'case "$*" in "calendar -- "*nonsense*) exit 1 ;; esac')
  return fleet
}

export function world(fleet: ServiceFleet) {
  const { handlers } = fleet.domains.schedules
  const call = fakeCall({ caller: asCaller(fleet.node) })
  return {
    handlers,
    call,
    create: (more: Partial<Input> = {}) => handlers['schedule:create']({ call, input: given(fleet, more) }),
    show: async (schedule: string) => (await handlers['schedule:show']({ call, input: { schedule } })).data,
    list: async () => (await handlers['schedule:list']({ call, input: {} })).data,
    run: (schedule: string) => handlers['schedule:run']({ call, input: { schedule } }),
    activate: (schedule: string) => handlers['schedule:activate']({ call, input: { schedule } }),
    logs: (schedule: string, lines = 100) => handlers['schedule:logs']({ call, input: { schedule, lines } }),
    destroy: (schedule: string, offline = false) =>
      handlers['schedule:destroy']({ call, input: { schedule, offline } }),
    complete: (schedule: string, status: 'success' | 'error', from = fleet.node) =>
      handlers['schedule:complete']({
        call: Object.assign(fakeCall({ caller: asCaller(from) }), {
          events: call.events,
          event: call.event.bind(call),
        }),
        input: { schedule, status },
      }),
  }
}

export const given = ({ node }: ServiceFleet, more: Partial<Input> = {}): Input => ({
  target_type: 'node',
  target_id: node.id,
  name: 'nightly',
  calendar: 'daily',
  command: 'echo "50% of $HOME"',
  timeout_seconds: 3600,
  start: true,
  ...more,
})

/** An active development Instance on the Node of the fleet. */
export async function addActiveInstance({ store, node, host }: ServiceFleet) {
  const project = await addProject(store)
  return addInstance(store, {
    project_id: project.id,
    node_id: node.id,
    checkout_path: host.at('home/apps/shop/default'),
    status: 'active',
  })
}

export const timerOf = ({ id }: Pick<ScheduleData, 'id'>): string => `fleet-schedule-${id}.timer`
export const serviceOf = ({ id }: Pick<ScheduleData, 'id'>): string => `fleet-schedule-${id}.service`
export const pathOf = {
  script: ({ id }: Pick<ScheduleData, 'id'>): string => `etc/fleet/schedules/${id}.sh`,
  service: (data: Pick<ScheduleData, 'id'>): string => `etc/systemd/system/${serviceOf(data)}`,
  timer: (data: Pick<ScheduleData, 'id'>): string => `etc/systemd/system/${timerOf(data)}`,
}

export const addOtherNode = ({ store }: ServiceFleet) => addNode(store)
