export * from './run-steps.ts'
export * from './step-failure.ts'
export type * from './step.ts'
