import { operation } from '../operation.ts'
import { action, actionErrors } from './action.ts'

export const scheduleActivate = operation({
  ...action,
  name: 'schedule:activate',
  path: '/schedules/{schedule}/activate',
  errors: [
    ...actionErrors,
    'schedule.target_invalid',
    'schedule.activation_failed',
    'schedule.install_failed',
  ],
  summary: 'Enable the timer of a Schedule of an Instance',
  description:
    'Schedules of Nodes are always enabled. To disable a timer, destroy the Schedule and create it again with `--no-start`.',
})
