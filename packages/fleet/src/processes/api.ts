export { makeProcesses, type ProcessesDomain } from '#/processes/make.ts'
export type { ProcessesParts } from '#/processes/parts.ts'
export type { ProcessRecord } from '#/processes/record.ts'
