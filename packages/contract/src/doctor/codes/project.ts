import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `project` (DRF-040). */
export const projectCodes = {
  'project.repository_origin_mismatch': {
    kind: 'drift',
    summary: 'A checkout of the Project has another repository as its origin.',
    repair:
      'Set the origin of the checkout back (`git remote set-url origin URL`); the command prints the URL. If the repository has moved, update the Project instead.',
    command: 'project:show {id}',
  },
  'project.update_unfinished': {
    kind: 'drift',
    summary: 'An update of the Project did not finish, and nobody works on it.',
    repair:
      'Run the same update again, which this command does: it first undoes what is half undone, and continues otherwise. If an Instance is in its way for good, remove that one first.',
    command: 'project:update {id} --resume',
  },
  'project.deploy_key_refused': {
    kind: 'drift',
    summary: 'The Git host does not accept the deploy key of the Project, so its repository cannot be read.',
    repair:
      'Add the public key that the command prints to the repository at the Git host again, with read access. If the host has another SSH host key, record the one that its operator announces: `fleet git-host:trust HOST --fingerprint FINGERPRINT`.',
    command: 'project:deploy-key:show {id}',
  },
  'project.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Project could not be completed.',
    repair: 'Run the check again.',
    command: 'doctor:run --node {node}',
  },
  'project.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node, so the checkouts there could not be checked.',
    repair: 'Check the Node itself and resolve what that reports.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`project.${string}`, DoctorCodeSpec>
