import type { DoctorCodeSpec } from './types.ts'

const converge = 'node:converge {node} --force'

const REPAIR_FIRST =
  'Read why with `fleet process:logs {id}`, repair what the command needs, then `fleet process:start {id}`. The command stops it until then.'

/** Codes of the family `process` (PROC-046, DRF-055, DRF-056). */
export const processCodes = {
  'process.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The creation or the removal of the Process did not finish.',
    repair:
      'To finish a creation, run the same `fleet process:create` again. The command removes what was created, and finishes a removal.',
    repairOf: {
      'of a database server':
        'To finish a creation, run the same `fleet database:server:create` again. The command removes the server, and finishes a removal.',
    },
    command: 'process:destroy {id}',
    commandOf: { 'of a database server': 'database:server:destroy {name}' },
  },
  'process.runtime_missing': {
    kind: 'drift',
    summary:
      'The unit or container of the Process does not exist on the Node, or is not the one that was created for it.',
    repair:
      'Converge the Node: it installs missing units and creates missing containers. If one of somebody else has this name, remove that first.',
    command: converge,
  },
  'process.unit_mismatch': {
    kind: 'drift',
    summary:
      'The unit file or the container of the Process on the Node differs from its record, or it has earlier values of a database connection.',
    repair:
      'Converge the Node: it writes changed files again, creates changed containers anew, and restarts what has earlier values.',
    command: converge,
  },
  'process.state_mismatch': {
    kind: 'drift',
    summary:
      'The Process runs although it should be stopped, or does not run, or not after the next boot, although it should.',
    repair:
      'Converge the Node: it starts and stops Processes as their records say. A command that has ended by itself runs once more by that; `fleet process:stop {id}` records that it should not run.',
    // Starting again what failed fails again as long as its cause is there.
    repairOf: { failed: REPAIR_FIRST, restarting: REPAIR_FIRST },
    command: converge,
    commandOf: { failed: 'process:stop {id}', restarting: 'process:stop {id}' },
  },
  'process.crash_loop': {
    kind: 'drift',
    summary: 'The Process ends again and again and is restarted each time.',
    repair:
      'Read why with `fleet process:logs {id}`, repair what the command needs, and start the Process again. The command stops it until then.',
    command: 'process:stop {id}',
  },
  'process.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Process could not be completed.',
    repair: 'Run the check again.',
  },
  'process.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node, so its Processes could not be checked.',
    repair: 'Resolve what the check reports of the Node itself, then run the check again.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`process.${string}`, DoctorCodeSpec>
