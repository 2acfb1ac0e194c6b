import type { ErrorSpec } from '@fleet/kernel'

/** Why the single executable could not be installed on a Node, or is there without its command (NODE-084). */
export const executableErrors = {
  'cli.architecture_unsupported': {
    status: 409,
    message: "This release has no executable for the Node's architecture.",
    retry: 'none',
  },
  'cli.disk_full': {
    status: 502,
    message: 'The Node has no disk space for the executable. The previous version is still installed.',
    retry: 'change',
  },
  'cli.checksum_mismatch': {
    status: 502,
    message: 'The upload of the executable was incomplete. The previous version is still installed.',
    retry: 'repeat',
  },
  'cli.candidate_invalid': {
    status: 502,
    message: 'The new executable does not run on the Node. The previous version is still installed.',
    retry: 'none',
  },
  'cli.foreign_binary': {
    status: 409,
    message: 'The path of the `fleet` command on the Node belongs to another program, which was not changed.',
    retry: 'change',
  },
  'cli.configuration_failed': {
    status: 502,
    message: 'The executable or its link could not be written on the Node.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
