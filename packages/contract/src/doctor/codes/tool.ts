import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `tool` (DRF-053, DRF-054). */
export const toolCodes = {
  'tool.lifecycle_not_active': {
    kind: 'drift',
    summary: 'An installation, update or removal of the Tool failed or did not finish.',
    repair:
      'To finish an installation or update, run the same command again. The command removes the package and the record.',
    command: 'tool:remove {id}',
  },
  'tool.not_installed': {
    kind: 'drift',
    summary: 'The package of the Tool is not installed on the Node.',
    repair:
      'Update the Tool: that installs a missing package again, and on Linux its package manager. On macOS install a missing package manager yourself first.',
    command: 'tool:update {id}',
  },
  'tool.version_mismatch': {
    kind: 'drift',
    summary: 'The installed version differs from the recorded one.',
    repair: 'Update the Tool: that also records which version is installed.',
    command: 'tool:update {id}',
  },
  'tool.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Tool could not be completed.',
    repair: 'Run the check again.',
  },
  'tool.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node, so its Tools could not be checked.',
    repair: 'Resolve what the check reports of the Node itself, then run the check again.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`tool.${string}`, DoctorCodeSpec>
