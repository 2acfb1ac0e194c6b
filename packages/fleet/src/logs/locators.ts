import type { LocatorsOf } from '#/handler.ts'
import type { LoggedProcess, LogProcesses } from '#/logs/ports.ts'
import { byPathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    /** Processes have no domain yet; until then their logs are all that a path reaches. */
    readonly '{process}': LoggedProcess
  }
}

export type LogLocators = LocatorsOf<'{process}'>

export const makeLogLocators = (processes: LogProcesses): LogLocators => ({
  '{process}': byPathId((id) => processes.find(id)),
})
