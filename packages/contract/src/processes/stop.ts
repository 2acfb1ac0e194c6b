import { operation } from '../operation.ts'
import { action, actionErrors } from './action.ts'

export const processStop = operation({
  ...action,
  name: 'process:stop',
  path: '/processes/{process}/stop',
  errors: actionErrors,
  summary: 'Stop a Process',
  description:
    'All its processes get SIGTERM, and SIGKILL after 30 seconds. It does not start at boot any more.',
})
