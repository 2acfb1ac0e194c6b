import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { isFullDisk, WorkLost } from '@fleet/store'

/** Anything that is not a coded error, and no full disk, is a bug: its text stays in the log. */
export function asCoded(error: unknown): CodedError {
  if (error instanceof CodedError) return error
  if (isFullDisk(error)) return fail('gateway.storage_full', { cause: error })
  // Another gateway has taken the work over, and ends it.
  return fail(error instanceof WorkLost ? 'activity.interrupted' : 'http.500', { cause: error })
}
