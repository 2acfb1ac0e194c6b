export type * from './call.ts'
export type * from './deps.ts'
export type * from './handler.ts'
