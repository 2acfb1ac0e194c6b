import type { DoctorCodeSpec } from './types.ts'

const converge = 'node:converge {node} --force'

/** Codes of the family `schedule` (DRF-049 to DRF-052). */
export const scheduleCodes = {
  'schedule.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The creation or the removal of the Schedule did not finish.',
    repair:
      'To finish a creation, run the same `fleet schedule:create` again. The command removes what was created, and finishes a removal when no run is left.',
    command: 'schedule:destroy {id}',
  },
  'schedule.artifact_missing': {
    kind: 'drift',
    summary:
      'The script, the service or the timer of the Schedule is not on the Node, or is not the one that was created for it.',
    repair:
      'Converge the Node: it installs what is missing. If a file of somebody else has this name, remove that file first.',
    command: converge,
  },
  'schedule.artifact_permissions_mismatch': {
    kind: 'drift',
    summary: 'A file of the Schedule on the Node has another owner or mode than it was installed with.',
    repair: 'Converge the Node: it writes the file again.',
    command: converge,
  },
  'schedule.orphan_artifact': {
    kind: 'drift',
    summary: 'The Node has files of Schedules that do not exist.',
    repair: 'Converge the Node: it disables and removes them.',
    command: converge,
  },
  'schedule.specification_mismatch': {
    kind: 'drift',
    summary: 'The script, the service or the timer of the Schedule on the Node differs from its record.',
    repair: 'Converge the Node: it writes changed files again.',
    command: converge,
  },
  'schedule.timer_state_mismatch': {
    kind: 'drift',
    summary: 'The timer of the Schedule is enabled although it should not be, or is not although it should.',
    repair: 'Converge the Node: it enables and disables timers as their records say.',
    command: converge,
  },
  'schedule.calendar_mismatch': {
    kind: 'drift',
    summary: 'The timer of the Schedule on the Node has another calendar than its record.',
    repair: 'Converge the Node: it writes changed files again.',
    command: converge,
  },
  'schedule.execution_context_mismatch': {
    kind: 'drift',
    summary:
      'The Schedule runs on the Node with another account, directory, environment or shell than its record says.',
    repair: 'Converge the Node: it writes changed files again.',
    command: converge,
  },
  'schedule.completion_callback_mismatch': {
    kind: 'drift',
    summary: 'The service of the Schedule on the Node does not report the end of its runs as it should.',
    repair: 'Converge the Node: it writes changed files again.',
    command: converge,
  },
  'schedule.placement_mismatch': {
    kind: 'drift',
    summary: 'The Node has files of Schedules that run on another Node.',
    repair: 'Converge the Node: it disables and removes them.',
    command: converge,
  },
  'schedule.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Schedule could not be completed.',
    repair: 'Run the check again.',
  },
  'schedule.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node, so its Schedules could not be checked.',
    repair: 'Resolve what the check reports of the Node itself, then run the check again.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`schedule.${string}`, DoctorCodeSpec>
