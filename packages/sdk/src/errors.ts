import type { Details, RetryAdvice } from '@fleet/kernel'

/** The gateway refused or failed the request with a code. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  readonly details: Details | undefined
  readonly requestId: string
  /** What helps; undefined for a code that this client does not know. */
  readonly retry: RetryAdvice | undefined
  /** The answer letter by letter. */
  readonly text: string

  constructor(
    error: Pick<ApiError, 'code' | 'message' | 'status' | 'details' | 'requestId' | 'retry' | 'text'>,
  ) {
    super(error.message)
    this.code = error.code
    this.status = error.status
    this.details = error.details
    this.requestId = error.requestId
    this.retry = error.retry
    this.text = error.text
  }
}

/** No answer came: the connection failed, the time ran out, or the caller ended the call. A change may have been made. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly requestId: string
  /** Whether the time ran out, as opposed to a connection that failed. */
  readonly timedOut: boolean
  /** Whether the caller's own signal ended it; its reason is the cause. */
  readonly aborted: boolean

  constructor(
    message: string,
    options: {
      readonly requestId: string
      readonly timedOut: boolean
      readonly aborted?: boolean
      readonly cause: unknown
    },
  ) {
    super(message, { cause: options.cause })
    this.requestId = options.requestId
    this.timedOut = options.timedOut
    this.aborted = options.aborted ?? false
  }
}

/** Something answered that is not the API, or the answer ended early. A redirect is one of these (GW-003). */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly status: number
  readonly requestId: string
  /** The connection ended first, so nobody here knows how the work ends. */
  readonly isCutOff: boolean

  constructor(
    message: string,
    options: {
      readonly status: number
      readonly requestId: string
      readonly cause?: unknown
      readonly isCutOff?: boolean
    },
  ) {
    super(message, { cause: options.cause })
    this.status = options.status
    this.requestId = options.requestId
    this.isCutOff = options.isCutOff ?? false
  }
}
