import type { ActivityData } from '@fleet/contract'
import type { Row } from '@fleet/store'

/** The gateway's own mark on a row says nothing to a reader. */
export const presentActivity = ({
  properties: { gateway: _gateway, ...properties },
  ...row
}: Row<'activities'>): ActivityData => ({ ...row, properties })
