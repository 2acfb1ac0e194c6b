import { dependenciesScan } from './scan.ts'
import { dependenciesShow } from './show.ts'
import { dependenciesUpdate } from './update.ts'
import { dependencyWhere } from './where.ts'

export * from './errors.ts'
export * from './records.ts'
export { type DependencyUpdate, dependencyUpdate, type UpdateStep, updateStepStatuses } from './update.ts'
export { type DependencyHolder, type DependencyHolders, dependencyHolders } from './where.ts'
export const dependencyOperations = {
  dependenciesShow,
  dependenciesScan,
  dependenciesUpdate,
  dependencyWhere,
}
