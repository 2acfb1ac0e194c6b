import { instanceLogs } from './instance-read.ts'
import * as instanceStreams from './instance-streams.ts'
import * as processStreams from './process-streams.ts'
import { instanceQueue } from './queue.ts'

export * from './records.ts'
export { LOG_READ_MAX_BYTES } from './instance-read.ts'
export * from './queue.ts'
export const logOperations = { instanceLogs, instanceQueue, ...instanceStreams, ...processStreams }
