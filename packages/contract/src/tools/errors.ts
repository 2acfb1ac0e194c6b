import type { ErrorSpec } from '@fleet/kernel'

export const toolErrors = {
  'tool.not_found': { status: 404, message: 'No Tool has this id.', retry: 'change' },
  'tool.node_inactive': {
    status: 409,
    message: 'The Node is not active, so its packages are not changed.',
    retry: 'none',
  },
  'tool.node_unmanaged': {
    status: 409,
    message:
      'Fleet does not manage the Node over SSH: it has no supported platform, no tunnel address or no pinned host key. Run `fleet node:add` for it again.',
    retry: 'none',
  },
  'tool.manager_unsupported': {
    status: 422,
    message: 'The platform of the Node does not have this package manager.',
    retry: 'change',
  },
  'tool.manager_unavailable': {
    status: 409,
    message: 'The package manager on the Node is missing, or is not one that Fleet may use.',
    retry: 'none',
  },
  'tool.manager_provision_failed': {
    status: 502,
    message: 'The package manager, or a package that it needs, could not be installed on the Node.',
    retry: 'repeat',
  },
  'tool.package_invalid': {
    status: 422,
    message: 'The package manager has no packages with such a name.',
    retry: 'change',
  },
  'tool.package_protected': {
    status: 409,
    message: 'Fleet needs this package on its Nodes and manages it itself.',
    retry: 'none',
  },
  'tool.package_absent': {
    status: 409,
    message: 'The package is not installed on the Node. Install it with `fleet tool:install`.',
    retry: 'none',
  },
  'tool.already_installed_unmanaged': {
    status: 409,
    message:
      'The package is already installed on the Node, but not as a Tool. Record it with `fleet tool:adopt`.',
    retry: 'none',
  },
  'tool.constraint_invalid': {
    status: 422,
    message: 'The version constraint is not a semantic version range, such as `^1.2` or `>=2 <4`.',
    retry: 'change',
  },
  'tool.constraint_conflict': {
    status: 409,
    message:
      'The Tool is recorded with another version constraint. Use that one, or remove the Tool first (`fleet tool:remove`).',
    retry: 'change',
  },
  'tool.version_constraint_blocked': {
    status: 422,
    message:
      'The version that the package manager would install is outside the constraint. Nothing was installed.',
    retry: 'change',
  },
  'tool.candidate_version_unavailable': {
    status: 422,
    message:
      'The package manager offers no version of this package for this Node. Check the name, the package sources of the Node, and what the package requires.',
    retry: 'change',
  },
  'tool.candidate_version_unparseable': {
    status: 422,
    message:
      'The version that the package manager would install is not a semantic version, so the constraint cannot be checked. Nothing was installed.',
    retry: 'change',
  },
  'tool.installed_version_unparseable': {
    status: 409,
    message: 'The installed version is not a semantic version, so the constraint cannot be checked.',
    retry: 'change',
  },
  'tool.installed_version_constraint_violated': {
    status: 409,
    message: 'The installed version is outside the version constraint.',
    retry: 'change',
  },
  'tool.version_probe_failed': {
    status: 502,
    message: 'The package manager on the Node did not say which version is installed.',
    retry: 'repeat',
  },
  'tool.install_failed': {
    status: 502,
    message: 'The package manager did not install the package. The same command tries again.',
    retry: 'repeat',
  },
  'tool.update_failed': {
    status: 502,
    message: 'The package manager did not update the package. The same command tries again.',
    retry: 'repeat',
  },
  'tool.remove_failed': {
    status: 502,
    message: 'The package manager did not remove the package. The same command tries again.',
    retry: 'repeat',
  },
  'tool.removal_plan_unsafe': {
    status: 409,
    message: 'Removing this package would change other packages too, so nothing was removed.',
    retry: 'none',
  },
  'tool.state_invalid': {
    status: 409,
    message:
      'An earlier operation on this Tool did not finish. Repeat it, or remove the Tool (`fleet tool:remove`).',
    retry: 'none',
  },
  'tool.operation_locked': {
    status: 409,
    message: 'Another operation is using this Tool or its package manager on the Node.',
    retry: 'wait',
  },
  'tool.adoption_unsupported': {
    status: 409,
    message: 'This package cannot become a Tool; `details.adoption_block` says why.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>

/** What every operation answers that works on packages of a Node. */
export const toolWorkErrors = [
  'tool.node_inactive',
  'tool.node_unmanaged',
  'tool.manager_unsupported',
  'tool.manager_unavailable',
  'tool.package_protected',
  'tool.version_probe_failed',
  'tool.operation_locked',
] as const satisfies readonly (keyof typeof toolErrors)[]
