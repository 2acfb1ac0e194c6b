import { dependenciesScan } from './scan.ts'
import { dependenciesShow } from './show.ts'
import { dependencyWhere } from './where.ts'

export * from './errors.ts'
export * from './records.ts'
export { type DependencyHolder, type DependencyHolders, dependencyHolders } from './where.ts'
export const dependencyOperations = { dependenciesShow, dependenciesScan, dependencyWhere }
