import type { NextSteps } from './step.ts'
import { AGAIN } from './words.ts'

/** Projects, their repositories and steps. */
export const projectSteps = {
  'project.not_found': 'fleet project:list shows the Projects.',
  'project.has_instances':
    'List them with fleet instance:list, then remove each: fleet instance:destroy INSTANCE',
  'project.identity_conflict':
    'fleet project:list shows its values. Change them with fleet project:update PROJECT, or choose another slug.',
  'project.repository_identity_conflict': 'fleet project:list shows which Project has the repository.',
  'project.slug_conflict': 'fleet project:list shows the slugs that are in use.',
  'project.code_conflict': 'fleet project:list shows the codes that are in use.',
  'project.codes_exhausted': 'Name one: --code ABC. fleet project:list shows those in use.',
  'project.default_branch_unavailable':
    'Check URL and branch with git ls-remote URL. A private repository needs a login: fleet help project:deploy-key:create',
  'project.update_in_progress':
    'fleet project:show PROJECT shows the update. Finish it: fleet project:update PROJECT --resume',
  'project.repository_preflight_failed':
    'Repair or remove the checkout that details names: fleet instance:show INSTANCE. Then run the same command again.',
  'project.repository_unowned_common':
    'Adopt the other checkout (fleet help instance:register), or give this one a Git directory of its own.',
  'project.source_switch_failed': 'fleet instance:show INSTANCE shows the checkout and its branch.',
  'project.source_defaults_incomplete':
    'fleet project:update PROJECT --default-branch main --root . stores both.',
  'project.excluded_node_missing': 'fleet project:excluded-node:list PROJECT shows the excluded Nodes.',
  'project.deploy_key_pending':
    'Add the public key of the details at the Git host, with read access to the repository. Then run the same command again.',
  'project.deploy_key_missing': 'Make one: fleet project:deploy-key:create PROJECT',
  'project.deploy_key_needs_ssh':
    'Name the SSH URL of the repository: fleet project:deploy-key:create PROJECT --repository-url git@HOST:PATH',
  'project_definition.not_found':
    'fleet project:process-definition:list PROJECT and fleet project:schedule-definition:list PROJECT show the names.',
  'lifecycle_step.not_found':
    'fleet project:setup-step:list PROJECT and fleet project:teardown-step:list PROJECT show the steps.',
  'lifecycle_step.name_taken':
    'Choose another name, or change that step: fleet project:setup-step:update PROJECT STEP or fleet project:teardown-step:update PROJECT STEP',
  'github.cli_unauthenticated': 'On the gateway, as the user that it runs as: gh auth login',
  'github.app_missing': 'Register one: fleet github:app:install',
  'github.registration_invalid': 'Begin again: fleet github:app:install',
  'github.registration_failed':
    'Delete the app at GitHub if it exists there. Then begin again: fleet github:app:install',
  'github.unavailable':
    'fleet github:app:show says whether GitHub answers now, and who has installed the app. Then run the same command again.',
  'git.host_key_changed':
    'Ask the operator of the Git host for the fingerprint of its new key: fleet git-host:trust HOST --fingerprint FINGERPRINT',
  'git.host_key_mismatch':
    'Compare the fingerprints of the details with what the operator of the Git host publishes.',
  'git.host_unreachable':
    'Are host and port of the repository URL right, and can the gateway reach them? Then run the same command again.',
  'app-dev.laravel_source_invalid': `Require laravel/framework once in composer.json and push it, or change the type: fleet project:update PROJECT --type TYPE. ${AGAIN}`,
  'app-dev.laravel_url_configuration_failed': `See what the disk of the Node has left: fleet node:show NODE. ${AGAIN}`,
  'app-dev.symfony_source_invalid': `Require symfony/framework-bundle in composer.json and push it, or change the type: fleet project:update PROJECT --type TYPE. ${AGAIN}`,
  'app-dev.source_metadata_unsafe':
    'Replace the file that details names by a regular one, commit and push it.',
} as const satisfies NextSteps
