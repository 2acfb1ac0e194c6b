export { makePhp, type PhpParts } from '#/php/make.ts'
export type { PoolSource, ProductionSource } from '#/php/ports.ts'
export type { ProductionPhpServices } from '#/php/production/production.ts'
export {
  productionPools,
  type ProductionService,
  productionSocket,
} from '#/php/production/service-record.ts'
export type * from '#/php/php.ts'
export { type Pool, type PoolInstance, type PoolOwner, poolOf, socketOf } from '#/php/pool.ts'
