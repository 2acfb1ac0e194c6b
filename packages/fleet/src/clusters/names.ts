import { fail, invalid } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Row } from '@fleet/store'

/** Uniqueness is a rule of the input, since no code is named for it (CLU-004). */
export const nameTaken = (): CodedError => invalid({ name: ['is already the name of another Cluster'] })

/** CLU-014. */
export const tldTaken = ({ id, name }: Pick<Row<'clusters'>, 'id' | 'name'>): CodedError =>
  fail('cluster.tld_conflict', { details: { cluster: { id, name } } })
