/**
 * What a caller should do about an error:
 * `change` the request, `repeat` the identical request now, `wait` and repeat it, or `none`: nothing the caller sends helps.
 */
export type RetryAdvice = 'change' | 'repeat' | 'wait' | 'none'

/** One row of the error registry. `message` is safe text: no credentials, environment values or remote output (API-011). */
export interface ErrorSpec {
  readonly status: number
  readonly message: string
  readonly retry: RetryAdvice
}

export type Details = Readonly<Record<string, unknown>>

export interface FailureOptions {
  /** Safe text that says more than the registry's; the registry's text when absent. */
  readonly message?: string
  /** Bounded and redacted facts for the caller (API-012). */
  readonly details?: Details
  /** The internal reason. It reaches the log, never a response. */
  readonly cause?: unknown
}

/** An error with a stable code. The HTTP layer turns it into an answer in one place. */
export abstract class CodedError extends Error {
  readonly code: string
  readonly status: number
  readonly retry: RetryAdvice
  readonly details: Details | undefined

  constructor(code: string, spec: ErrorSpec, options: FailureOptions = {}) {
    super(options.message ?? spec.message, { cause: options.cause })
    this.code = code
    this.status = spec.status
    this.retry = spec.retry
    this.details = options.details
  }
}

/** Expected: a guard or rule said no (4xx). */
export class Refusal extends CodedError {
  override readonly name = 'Refusal'
}

/** An outage or a bug (5xx). */
export class Fault extends CodedError {
  override readonly name = 'Fault'
}
