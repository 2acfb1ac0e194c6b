import type { ErrorSpec } from '@fleet/kernel'

/** Codes of assigning, converging, moving and removing roles. */
export const roleErrors = {
  'node.role_conflict': {
    status: 422,
    message: 'The role conflicts with another role of the Node, or another Node has it.',
    retry: 'change',
  },
  'node.firewall_recovery_failed': {
    status: 502,
    message: 'The rule that opens public SSH could not be restored.',
    retry: 'repeat',
  },
  'node_role.not_found': { status: 404, message: 'The Node does not have this role.', retry: 'change' },
  'node_role.converging': {
    status: 409,
    message: 'The role is being converged.',
    retry: 'wait',
  },
  'node_role.removing': {
    status: 409,
    message: 'The role is being removed, or its removal failed. Complete the removal first.',
    retry: 'wait',
  },
  'node_role.in_use': {
    status: 409,
    message: 'Records on the Node still depend on the role.',
    retry: 'none',
  },
  'node_role.node_busy': {
    status: 409,
    message: 'Another operation is changing the roles of this Node.',
    retry: 'wait',
  },
  'node_role.tool_manager_locked': {
    status: 409,
    message: 'Another operation, or the system itself, is using the package manager of the Node.',
    retry: 'wait',
  },
  'node_role.convergence_failed': {
    status: 502,
    message: 'A step of the role failed. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'node_role.remove_failed': {
    status: 502,
    message: 'A step of the removal of the role failed. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'node.tool_manager_materialization_failed': {
    status: 502,
    message: 'The package manager of the Node is missing or does not work.',
    retry: 'wait',
  },
  'node_role.packages_unavailable': {
    status: 502,
    message: 'The package sources of the Node do not have a package that the role needs.',
    retry: 'none',
  },
  'node_role.disk_full': { status: 502, message: 'The disk of the Node is full.', retry: 'none' },
  'node_role.package_failed': {
    status: 502,
    message: 'The package manager of the Node could not install what the role needs.',
    retry: 'wait',
  },
  'node_role.service_failed': {
    status: 502,
    message: 'A service of the role is missing or does not start.',
    retry: 'wait',
  },
  'node_role.engine_unavailable': {
    status: 502,
    message: 'The container engine of the Node does not answer.',
    retry: 'wait',
  },
  'node_role.directory_unsafe': {
    status: 502,
    message: 'A directory of the role is a link, belongs to another user, or could not be created.',
    retry: 'none',
  },
  'node_role.relocation_incomplete': {
    status: 502,
    message: 'The role is active on the new Node, but its removal from the former Node is incomplete.',
    retry: 'change',
  },
  'node.converge_unsupported': {
    status: 422,
    message: 'Fleet installs nothing on Nodes of this platform.',
    retry: 'none',
  },
  'node.footprint_failed': {
    status: 502,
    message: 'Part of the configuration that the gateway installs on the Node could not be applied.',
    retry: 'repeat',
  },
  'node.footprint_caddy_failed': {
    status: 502,
    message:
      'The web server of the Node could not load its sites. The previous configuration is still in use. `details.stage` and `details.message` give the stage and the cause.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

/** What every operation on roles can answer. */
export const roleOperationErrors = [
  'node.not_active',
  'node.capability_missing',
  'node.lock_lost',
  'node_role.converging',
  'node_role.removing',
  'node_role.node_busy',
] as const satisfies readonly (
  | keyof typeof roleErrors
  | 'node.not_active'
  | 'node.capability_missing'
  | 'node.lock_lost'
)[]
