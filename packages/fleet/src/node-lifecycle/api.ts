export type { LifecycleParts } from './enrolment/provisioning.ts'
export { makeNodeLifecycle, type NodeLifecycle, type NodeLifecycleParts } from './make.ts'
