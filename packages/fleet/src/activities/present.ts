import type { ActivityData, ActivityStatus } from '@fleet/contract'
import type { Row } from '@fleet/store'

/** The gateway's own mark on a row says nothing to a reader. */
export const presentActivity = ({ status, properties, ...row }: Row<'activities'>): ActivityData => {
  const { gateway: _gateway, ...shown } = parseProperties(properties)
  return { ...row, status: status as ActivityStatus, properties: shown } // Only statuses of the contract are ever stored.
}

/** Properties as they were stored: an object. */
export const parseProperties = (text: string): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown> // Written by storedProperties alone.
