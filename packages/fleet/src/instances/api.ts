export { type InstancesDomain, type InstancesOptions, makeInstances, makePlacements } from './make.ts'
export type { CheckoutPaths } from './placements.ts'
export type { InstancePlace, InstanceRuntime } from './ports.ts'
export type { Framework, InstanceRecord, Instances, SourceProfile } from './record.ts'
