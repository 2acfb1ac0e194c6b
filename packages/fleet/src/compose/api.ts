export { accessOf, compose, type Services } from './compose.ts'
export type { Composition, Domains } from './domains.ts'
export { makeDomains } from './make-domains.ts'
export type { ComposeDeps } from './deps.ts'
