export type { LifecycleParts } from './enrolment/provisioning.ts'
export type { NodeServices } from './dependencies.ts'
export { makeNodeLifecycle, type NodeLifecycle, type NodeLifecycleParts } from './make.ts'
