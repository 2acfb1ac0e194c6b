export * from './step-records.ts'
