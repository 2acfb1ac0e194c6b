import type { ProcessRecord, ProcessRow } from '#/processes/record.ts'

/** Of a development Instance, desired to run, and without `keep_alive` (HIB-006). */
export const isSleepy = ({
  status,
  desired_state,
  keep_alive,
}: Pick<ProcessRow, 'status' | 'desired_state' | 'keep_alive'>): boolean =>
  status === 'active' && desired_state === 'running' && keep_alive === 0

/** One that hibernation may stop: of an Instance, not of a Node (HIB-006, HIB-007). */
export const maySleep = (process: ProcessRecord): boolean =>
  isSleepy(process) && process.instanceId !== undefined && process.environment === 'development'
