import { operation } from '../operation.ts'
import { action, actionErrors } from './action.ts'

export const processRestart = operation({
  ...action,
  name: 'process:restart',
  path: '/processes/{process}/restart',
  errors: [...actionErrors, 'process.release_unavailable'],
  summary: 'Restart a Process; starts one that does not run',
})
