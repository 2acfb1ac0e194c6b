import type { LocatorsOf } from '#/handler.ts'
import type { LoggedProcess, LogProcesses } from '#/logs/ports.ts'
import type { LogOwner, LogStream } from '#/logs/stream.ts'
import type { LogStreams } from '#/logs/streams.ts'
import { byPathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    /** Processes have no domain yet; until then their logs are all that a path reaches. */
    readonly '{process}': LoggedProcess
    readonly 'log-streams/{stream}': LogStream
  }
}

export type LogLocators = LocatorsOf<'{process}' | 'log-streams/{stream}'>

export const makeLogLocators = (
  processes: LogProcesses,
  streams: Pick<LogStreams, 'findOf'>,
): LogLocators => ({
  '{process}': byPathId((id) => processes.find(id)),
  'log-streams/{stream}': async (id, { instance, process }) => {
    const owner: LogOwner | undefined = instance
      ? { type: 'instance', id: instance.id }
      : process && { type: 'process', id: process.id }
    return owner && streams.findOf(owner, id)
  },
})
