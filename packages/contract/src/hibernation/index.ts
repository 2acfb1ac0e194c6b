import { instanceWake } from './wake.ts'

export * from './records.ts'
export const hibernationOperations = { instanceWake }
