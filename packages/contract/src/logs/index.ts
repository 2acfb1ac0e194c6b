import * as instanceStreams from './instance-streams.ts'
import * as processStreams from './process-streams.ts'

export * from './records.ts'
export const logOperations = { ...instanceStreams, ...processStreams }
