import { doctorRun } from './run.ts'

export * from './codes/public.ts'
export * from './records.ts'

export const doctorOperations = { doctorRun }
