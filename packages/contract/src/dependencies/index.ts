import { dependenciesScan } from './scan.ts'
import { dependenciesShow } from './show.ts'

export * from './errors.ts'
export * from './records.ts'
export const dependencyOperations = { dependenciesShow, dependenciesScan }
