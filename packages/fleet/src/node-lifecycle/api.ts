export type { LifecycleParts } from './enrolment/provisioning.ts'
export type { NodeServices } from './dependencies.ts'
export { staleUpdatesKind } from './stale-updates.ts'
export { makeNodeLifecycle, type NodeLifecycle, type NodeLifecycleParts } from './make.ts'
