export { makePhp, type PhpParts } from '#/php/make.ts'
export type { PoolSource } from '#/php/ports.ts'
export type * from '#/php/php.ts'
export { type Pool, type PoolInstance, type PoolOwner, poolOf, socketOf } from '#/php/pool.ts'
