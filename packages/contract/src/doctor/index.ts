export * from './codes/index.ts'
export * from './records.ts'
