import { deploymentShow } from './show.ts'

export * from './records.ts'
export * from './step-records.ts'
export const deploymentOperations = { deploymentShow }
