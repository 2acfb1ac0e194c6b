import { operation } from '../operation.ts'
import { action, actionErrors } from './action.ts'

export const scheduleRun = operation({
  ...action,
  name: 'schedule:run',
  path: '/schedules/{schedule}/run',
  errors: [...actionErrors, 'schedule.run_failed'],
  summary: 'Run a Schedule once, now',
  description:
    'Returns when the run has begun. A run that has not ended continues, and no second one starts. `fleet schedule:logs` shows its output, and `last_run_status` its result when the Node has reported it.',
})
