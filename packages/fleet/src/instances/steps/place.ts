import type { CheckoutSession } from '#/instances/checkout-session.ts'
import type { CheckoutPlace } from '#/instances/commands/checkout-script.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { effectiveRoot } from '#/instances/rules.ts'

/** The directory of a row and its proof, as the scripts take them. */
export const placeOf = (row: Pick<InstanceRow, 'checkout_path' | 'preparation_id'>): CheckoutPlace => ({
  checkoutPath: row.checkout_path,
  preparationId: row.preparation_id,
})

/** The repository-relative directory that holds the `.env` file; empty for the root and before the source was examined. */
export const applicationDirectoryOf = (row: Pick<InstanceRow, 'profile'>): string =>
  row.profile?.application_directory ?? ''

/** The web root of the Instance, relative to the repository. */
export const effectiveRootOf = (
  { project }: Pick<CheckoutSession, 'project'>,
  row: Pick<InstanceRow, 'root'>,
): string => effectiveRoot({ root: row.root, project })
