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

/** What the error behind another one knows, for the details of that one, which names itself after it. */
export const detailsBehind = (cause: unknown): Details => (isOfContract(cause) ? { ...cause.details } : {})

/** What is said of a failed step: what the step was for, and what stopped it where that is known. */
export const failedBecause = (what: string, cause: unknown): string =>
  isOfContract(cause) ? `${what}: ${cause.message}` : `${what}.`

const isOfContract = (error: unknown): error is CodedError =>
  error instanceof CodedError && isErrorCode(error.code)
