import { posix } from 'node:path'
import { type Pool, productionSocket, socketOf } from '#/php/api.ts'
import type { ServedRow } from '#/routes/served/queries.ts'

type ServedInstance = ServedRow['instance']

/** A production Instance with its Unix user and home. */
export interface ProductionRow extends ServedInstance {
  readonly production_user: string
  readonly production_home: string
}

export const isProductionRow = (instance: ServedInstance): instance is ProductionRow =>
  instance.environment === 'production' &&
  instance.production_user !== null &&
  instance.production_home !== null

/** Where the source is that a site serves: the checkout, or whatever release is selected (RTE-152). */
export const sourceOf = (instance: ServedInstance): string =>
  isProductionRow(instance) ? posix.join(instance.production_home, 'current') : instance.checkout_path

/** The socket that runs a directory: that of its development pool, or one of the Unix user (RTX-125). */
export function socketFor(
  instance: ServedInstance,
  directory: string,
  pool: Pool | undefined,
): string | undefined {
  if (!isProductionRow(instance)) return pool && socketOf(pool)
  const { profile, production_user: user } = instance
  if (profile?.php_version === undefined) return undefined
  return productionSocket({ user, defaultDirectory: profile.application_directory }, directory)
}
