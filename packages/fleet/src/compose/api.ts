export { accessOf, compose, type Services } from './compose.ts'
export { type Composition, type Domains, makeDomains } from './domains.ts'
export type { ComposeParts } from './parts.ts'
