export * from './call.ts'
export * from './clock.ts'
