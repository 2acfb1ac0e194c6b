import { operation } from '../operation.ts'
import { action, actionErrors } from './action.ts'

export const processStart = operation({
  ...action,
  name: 'process:start',
  path: '/processes/{process}/start',
  errors: [...actionErrors, 'process.release_unavailable'],
  summary: 'Start a Process',
  description:
    'Writes its unit again first if it changed. Returns the status read after the start; a command that ended at once shows as `failed` or `activating`, and `fleet process:logs` shows why. If the Instance sleeps, its other Processes follow in the background, and its dependencies where they were removed.',
})
