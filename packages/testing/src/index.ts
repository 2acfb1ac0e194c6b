export * from './call.ts'
export * from './clock.ts'
export * from './store.ts'
