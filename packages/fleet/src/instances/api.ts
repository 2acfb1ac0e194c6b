export { type InstancesDomain, type InstancesOptions, makeInstances, makePlacements } from './make.ts'
export type { CheckoutPaths } from './placements.ts'
export type { StepEnd } from './steps/run-commands.ts'
export type { Framework, InstanceCommand, InstanceRecord, Instances, SourceProfile } from './record.ts'
