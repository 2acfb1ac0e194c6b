export * from './cipher.ts'
export * from './locks.ts'
export type * from './schema.ts'
export type * from './store.ts'
