import { processRestart } from './restart.ts'
import { processStart } from './start.ts'
import { processStop } from './stop.ts'
import { processCreate } from './create.ts'
import { processDestroy } from './destroy.ts'
import { processList } from './list.ts'
import { processLogs } from './logs.ts'

export { PROCESS_USAGE_PART } from './events.ts'
export * from './records.ts'
export * from './states.ts'
export const processOperations = {
  processList,
  processCreate,
  processStart,
  processStop,
  processRestart,
  processLogs,
  processDestroy,
}
