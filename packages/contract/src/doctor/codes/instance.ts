import { CONVERGE } from './converge.ts'
import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `instance` (DRF-041). */
export const instanceCodes = {
  'instance.lifecycle_not_active': {
    kind: 'drift',
    summary:
      'The creation, the registration or the removal of the Instance did not end, and nobody works on it.',
    repair:
      'To finish what was begun, run the same `fleet instance:create`, `fleet instance:clone` or `fleet instance:register` again: it resumes. The command removes what was created, moves a directory that was to be registered back to where it was, and finishes a removal.',
    command: 'instance:destroy {id}',
    commandOf: { 'by force': 'instance:destroy {id} --force' },
  },
  'instance.setup_unfinished': {
    kind: 'drift',
    summary: 'The setup list of the Instance did not run to its end.',
    repair:
      'Run the setup list again. To run only the steps that an interrupted creation has left, run the same `fleet instance:create` again.',
    command: 'instance:setup {id}',
  },
  'instance.transfer_unfinished': {
    kind: 'drift',
    summary: 'The transfer of the Instance to another Node did not end, and nobody works on it.',
    repair:
      'Run the same `fleet instance:transfer` again: it finishes the move, or begins it anew where nothing has moved yet. The command prints it, and what stopped it.',
    command: 'instance:show {id}',
  },
  'instance.php_fpm_association_missing': {
    kind: 'drift',
    summary: 'The Node does not run a PHP pool of the Instance.',
    repair: 'Converge the Node: it publishes its PHP pools again.',
    command: CONVERGE,
  },
  'instance.php_fpm_association_shared': {
    kind: 'drift',
    summary: 'Another PHP pool of the Node listens on the socket of the Instance.',
    repair: 'Converge the Node: it publishes its PHP pools again.',
    command: CONVERGE,
  },
  'instance.php_fpm_projection_mismatch': {
    kind: 'drift',
    summary: 'The PHP pool of the Instance differs from the records.',
    repair: 'Converge the Node: it publishes its PHP pools again.',
    command: CONVERGE,
  },
  'instance.environment_projection_mismatch': {
    kind: 'drift',
    summary:
      'The `.env` file of the production Instance is missing, unsafe, or differs from its stored configuration.',
    repair:
      'Write it again. If somebody added keys to the file, that is refused and names them: store them first (`fleet env:update`). A link or a directory in its place has to be moved away.',
    command: 'env:sync {id}',
  },
  'instance.production_home_mismatch': {
    kind: 'drift',
    summary:
      'The home of the production Instance is missing, belongs to another user, or is open to everybody.',
    repair:
      'If it is missing, move it back or restore it with its owner; nothing else of the Instance works without it. Otherwise give it back to its Unix user alone: as root on the Node, `chown USER HOME HOME/releases` and `chmod o= HOME`. The command prints user and home.',
    command: 'instance:show {id}',
  },
  'instance.release_selection_mismatch': {
    kind: 'drift',
    summary: 'The link `current` of the production Instance does not lead to the release that was selected.',
    repair:
      'Deploy again, or select a release with `fleet instance:rollback`. A file or a directory in the place of the link has to be moved away first.',
    command: 'instance:deploy {id}',
  },
  'instance.selected_release_root_mismatch': {
    kind: 'drift',
    summary: 'The directory of the selected release is missing, unfinished, or belongs to another user.',
    repair: 'Deploy again, or select another release with `fleet instance:rollback`.',
    command: 'instance:deploy {id}',
  },
  'instance.dependencies_stale': {
    kind: 'drift',
    summary:
      'The latest scan of the dependencies of the Instance failed, so the inventory is older than its files.',
    repair:
      '`fleet instance:dependencies:show` names the file and the check that it failed. Correct the file in the checkout, then scan again.',
    command: 'instance:dependencies:scan {id}',
  },
} as const satisfies Record<`instance.${string}`, DoctorCodeSpec>
