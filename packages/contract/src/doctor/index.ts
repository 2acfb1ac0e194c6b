import { doctorRun } from './run.ts'

export * from './codes/index.ts'
export * from './records.ts'

export const doctorOperations = { doctorRun }
