import type { InstanceRecord } from './record.ts'
import type { FoundInstance } from './require.ts'
import { profileOf } from './stored-profile.ts'

/** An Instance as other domains see it. */
export const recordOf = ({ row, project, node }: FoundInstance): InstanceRecord => ({
  ...row,
  profile: profileOf(row.profile),
  project,
  node,
})
