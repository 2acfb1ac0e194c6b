import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { WorkLost } from '@fleet/store'

/** Anything that is not a coded error is a bug: its text stays in the log. */
export function asCoded(error: unknown): CodedError {
  if (error instanceof CodedError) return error
  // Another gateway has taken the work over, and ends it.
  return fail(error instanceof WorkLost ? 'activity.interrupted' : 'http.500', { cause: error })
}
