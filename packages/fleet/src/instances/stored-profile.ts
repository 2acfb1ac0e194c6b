import type { ProfileRecord } from '@fleet/store'
import type { SourceProfile } from './record.ts'

/** The profile as its column takes it. */
export const profileRecord = ({
  applicationDirectory,
  phpVersion,
  ...profile
}: SourceProfile): ProfileRecord => ({
  application_directory: applicationDirectory,
  ...profile,
  ...(phpVersion === undefined ? {} : { php_version: phpVersion }),
})

/** The profile of a row; undefined before the source was examined. */
export function profileOf(record: ProfileRecord | null): SourceProfile | undefined {
  if (record === null) return undefined
  const { application_directory: applicationDirectory, php_version: phpVersion, ...profile } = record
  return { applicationDirectory, ...profile, ...(phpVersion === undefined ? {} : { phpVersion }) }
}
