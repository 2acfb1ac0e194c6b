import type { ErrorSpec } from '@fleet/kernel'

export const scheduleErrors = {
  'schedule.not_found': { status: 404, message: 'No Schedule has this id.', retry: 'change' },
  'schedule.name_invalid': {
    status: 422,
    message:
      'The name must be 1 to 63 lowercase letters, digits and single hyphens, with a letter or digit at both ends.',
    retry: 'change',
  },
  'schedule.calendar_invalid': {
    status: 422,
    message:
      'The calendar must be one line of 1 to 255 printable ASCII characters that systemd on the Node accepts. Try it there: `systemd-analyze calendar EXPRESSION`.',
    retry: 'change',
  },
  'schedule.command_invalid': {
    status: 422,
    message: 'The command must be one line of text with 1 to 4,096 bytes.',
    retry: 'change',
  },
  'schedule.timeout_invalid': {
    status: 422,
    message: 'The timeout must be 1 to 86,400 seconds.',
    retry: 'change',
  },
  'schedule.platform_unsupported': {
    status: 422,
    message: 'A macOS Node runs no Schedules.',
    retry: 'change',
  },
  'schedule.target_invalid': {
    status: 403,
    message: 'This is not allowed for the Node of the Schedule.',
    retry: 'none',
  },
  'schedule.target_unavailable': {
    status: 409,
    message: 'The Node or the Instance of the Schedule is not active, or has nothing to run yet.',
    retry: 'wait',
  },
  'schedule.state_invalid': {
    status: 409,
    message: 'The state of the Schedule does not allow this.',
    retry: 'change',
  },
  'schedule.retry_conflict': {
    status: 409,
    message:
      'This owner already has a Schedule with this name but other values. Destroy it first (`fleet schedule:destroy`), or choose another name.',
    retry: 'change',
  },
  'schedule.operation_busy': {
    status: 409,
    message: 'Another operation is using this Schedule, or its Instance.',
    retry: 'wait',
  },
  'schedule.artifact_conflict': {
    status: 409,
    message:
      'A file with the name of the script or of a unit of this Schedule exists on the Node and was not created for it, so it was not changed.',
    retry: 'none',
  },
  'schedule.install_failed': {
    status: 502,
    message: 'The Node could not install the Schedule; nothing of it was left there. Repeat the request.',
    retry: 'repeat',
  },
  'schedule.rollback_failed': {
    status: 502,
    message:
      'The Node could not install the Schedule, and not remove what it had installed of it. Repeat the request, or remove the Schedule with `fleet schedule:destroy`.',
    retry: 'repeat',
  },
  'schedule.run_failed': {
    status: 502,
    message: 'The Node did not start the run of the Schedule.',
    retry: 'repeat',
  },
  'schedule.activation_failed': {
    status: 502,
    message: 'The Node did not enable the timer of the Schedule. Repeat the request.',
    retry: 'repeat',
  },
  'schedule.logs_failed': {
    status: 502,
    message: 'The Node could not read the log of the Schedule.',
    retry: 'repeat',
  },
  'schedule.remove_failed': {
    status: 502,
    message: 'The Node did not remove the Schedule completely. Repeat the request.',
    retry: 'repeat',
  },
  'schedule.node_unreachable': {
    status: 502,
    message: 'The Node of the Schedule does not answer.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
