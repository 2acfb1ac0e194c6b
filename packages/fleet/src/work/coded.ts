import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'

/** Anything that is not a coded error is a bug: its text stays in the log. */
export const asCoded = (error: unknown): CodedError =>
  error instanceof CodedError ? error : fail('http.500', { cause: error })
