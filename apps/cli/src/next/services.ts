import type { NextSteps } from './step.ts'
import { AGAIN } from './words.ts'

const SAME_NAME =
  'details names it. Remove it from the Node if nothing needs it, or choose another name. Then run the same command again.'

/** Processes, Schedules, logs and Tools. */
export const serviceSteps = {
  'process.not_found': 'fleet process:list shows the Processes.',
  'process.has_routes': `Remove that Route first: fleet route:destroy ROUTE. ${AGAIN}`,
  'process.target_inactive': 'fleet node:list and fleet instance:list show their states.',
  'process.not_active':
    'fleet process:list shows the step that failed. Run the same fleet process:create again, or fleet process:destroy PROCESS',
  'process.release_unavailable': `It has a release once it is deployed: fleet instance:deploy INSTANCE. ${AGAIN}`,
  'process.preset_unavailable': 'fleet help process:create lists the presets.',
  'process.unit_conflict': SAME_NAME,
  'process.container_conflict': SAME_NAME,
  'process.port_unavailable': 'On the Node: ss -ltnp shows which program has the port.',
  'schedule.not_found': 'fleet schedule:list shows the Schedules.',
  'schedule.target_in_use': `fleet schedule:list shows them, fleet schedule:destroy SCHEDULE removes one. ${AGAIN}`,
  'schedule.target_invalid': 'This is for the Node of the Schedule alone: fleet schedule:show SCHEDULE',
  'schedule.state_invalid': 'fleet schedule:show SCHEDULE shows its state and the last run.',
  'schedule.artifact_conflict': SAME_NAME,
  'logs.live_unavailable': 'Read it without following: leave out --follow.',
  'logs.stream_not_found': 'A live log ends a minute after its last renewal. Open it again.',
  'realtime.not_configured': 'Give a Node the role: fleet node:role:add NODE websocket',
  'broadcast.channel_forbidden': 'fleet realtime:show names the channels that can be read.',
  'tool.not_found': 'fleet tool:list NODE shows the Tools of a Node.',
  'tool.node_inactive': 'fleet node:show NODE shows its status and the step that failed.',
  'tool.manager_unavailable': 'fleet tool:manager:list NODE shows the managers and why one cannot be used.',
  'tool.package_protected': 'fleet tool:list NODE shows the Tools that can be changed.',
  'tool.already_installed_unmanaged': 'fleet tool:adopt NODE MANAGER PACKAGE',
  'tool.package_absent': 'fleet tool:install NODE MANAGER PACKAGE',
  'tool.candidate_version_unparseable': 'Run the same command without --version-constraint.',
  'tool.constraint_conflict':
    'fleet tool:list NODE shows the Tool, its id and its constraint. Run the same command with that one, or first fleet tool:remove TOOL',
  'tool.state_invalid':
    'fleet tool:show TOOL shows its state. One that failed: fleet tool:install NODE MANAGER PACKAGE, or fleet tool:remove TOOL',
  'tool.installed_version_unparseable': 'Leave out --version-constraint.',
  'tool.installed_version_constraint_violated':
    'fleet tool:scan NODE shows the installed version. Name a constraint that it meets: --version-constraint RANGE',
  'tool.removal_plan_unsafe': `details lists those packages. Remove the ones that are Tools first. ${AGAIN}`,
  'tool.adoption_unsupported': 'fleet tool:scan NODE shows what can be adopted.',
} as const satisfies NextSteps
