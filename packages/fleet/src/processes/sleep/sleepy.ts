import type { ProcessRecord, ProcessRow } from '#/processes/record.ts'

type Seen = Pick<ProcessRow, 'status' | 'desired_state'>

export const shouldRun = ({ status, desired_state }: Seen): boolean =>
  status === 'active' && desired_state === 'running'

/** Of a development Instance, desired to run, and without `keep_alive` (HIB-006). */
export const isSleepy = (process: Seen & Pick<ProcessRow, 'keep_alive'>): boolean =>
  shouldRun(process) && process.keep_alive === 0

/** One that hibernation may stop: of an Instance, not of a Node (HIB-006, HIB-007). */
export const maySleep = (process: ProcessRecord): boolean =>
  isSleepy(process) && process.instanceId !== undefined && process.environment === 'development'
