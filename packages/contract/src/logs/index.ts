import { instanceLogs } from './instance-read.ts'
import * as instanceStreams from './instance-streams.ts'
import * as processStreams from './process-streams.ts'

export * from './records.ts'
export { LOG_READ_MAX_BYTES } from './instance-read.ts'
export const logOperations = { instanceLogs, ...instanceStreams, ...processStreams }
