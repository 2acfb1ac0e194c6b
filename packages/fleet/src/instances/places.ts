import { posix } from 'node:path'
import { homePaths } from '#/instances/production/home.ts'
import type { InstanceRecord } from '#/instances/record.ts'

type Placed = Pick<InstanceRecord, 'checkout_path' | 'production_home' | 'profile'>

/** The application directory on the Node (PRJ-020): of the checkout, or of the selected release. */
export const applicationPathOf = ({ checkout_path, production_home, profile }: Placed): string =>
  posix.join(
    production_home === null ? checkout_path : homePaths(production_home).current,
    profile?.applicationDirectory ?? '',
  )

/** The `.env` of an Instance on its Node. */
export const environmentPathOf = (instance: Placed): string =>
  posix.join(instance.production_home ?? applicationPathOf(instance), '.env')
