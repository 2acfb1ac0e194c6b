// What a client loads that knows the codes without any schema.
export * from './index.ts'
export { type Repair, repairOf } from './repair.ts'
export { targetSetArguments, type UnfinishedSet } from './target-set.ts'
