import { type ErrorCode, fail, isErrorCode } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'

/** The same error with further details; an unexpected one becomes `otherwise` with itself as the cause. */
export function withDetails(error: unknown, details: Details, otherwise: ErrorCode): CodedError {
  if (!(error instanceof CodedError) || !isErrorCode(error.code)) {
    return fail(otherwise, { details, cause: error })
  }
  return fail(error.code, {
    message: error.message,
    details: { ...error.details, ...details },
    cause: error.cause ?? error,
  })
}

/** The code under which an error is recorded; `otherwise` for an unexpected one. */
export const codeOf = (error: unknown, otherwise: ErrorCode = 'http.500'): ErrorCode =>
  error instanceof CodedError && isErrorCode(error.code) ? error.code : otherwise
