import type { ErrorSpec } from '@fleet/kernel'

/** Why the one executable could not be put on a Node, or stands there without its command (NODE-084). */
export const executableErrors = {
  'cli.architecture_unsupported': {
    status: 409,
    message: "This release has no executable for the Node's architecture.",
    retry: 'none',
  },
  'cli.disk_full': {
    status: 502,
    message: 'The Node has no space for the executable; the one before it stays.',
    retry: 'change',
  },
  'cli.checksum_mismatch': {
    status: 502,
    message: 'The executable did not arrive whole on the Node; the one before it stays.',
    retry: 'repeat',
  },
  'cli.candidate_invalid': {
    status: 502,
    message: 'The executable arrived but does not run on the Node; the one before it stays.',
    retry: 'none',
  },
  'cli.foreign_binary': {
    status: 409,
    message: 'Another program stands in the place of the `fleet` command on the Node and was left alone.',
    retry: 'change',
  },
  'cli.configuration_failed': {
    status: 502,
    message: 'The Node could not write the executable or its link.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
