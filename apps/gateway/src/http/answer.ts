import { type ErrorCode, errorRegistry } from '@fleet/contract'
import { type CodedError, maskText, redact } from '@fleet/kernel'

/** What goes out: a status with an envelope, a stream of lines, or nothing. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  /** HTML for a visitor, with the headers that go with it. */
  readonly page?: Page
  /** Lines that follow each other on the wire; the body is unused then. */
  readonly lines?: AsyncIterable<unknown>
  /** Settles when the work behind the answer has ended, where that is later than the answer. */
  readonly done?: Promise<unknown>
  readonly error?: CodedError
}

export interface Page {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** Bytes of `error.details` in a response; a larger one is replaced by its names (API-012). */
const DETAILS_MAX_BYTES = 16 * 1024
const ERRORS_MAX = 50
const ERROR_NAME_MAX = 100

export const success = (requestId: string, data: unknown, status: number): Answer => ({
  status,
  body: { data, meta: { request_id: requestId } },
})

/** The one place where an error becomes a response (API-010 to API-013). */
export function failure(requestId: string, error: CodedError): Answer {
  return { status: error.status, body: { error: errorBody(requestId, error) }, error }
}

export function errorBody(requestId: string, error: CodedError): Record<string, unknown> {
  return {
    code: error.code,
    message: messageOf(error),
    ...(error.details ? { details: bounded(error.details) } : {}),
    request_id: requestId,
  }
}

/** A text of the registry is Fleet's own: words such as "bearer" in it are no secrets. */
const messageOf = ({ code, message }: CodedError): string =>
  isErrorCode(code) && errorRegistry[code].message === message ? message : maskText(message)

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorRegistry, code)

function bounded(details: Readonly<Record<string, unknown>>): unknown {
  const safe = redactDetails(details)
  return JSON.stringify(safe).length <= DETAILS_MAX_BYTES
    ? safe
    : { cut: true, members: Object.keys(details).slice(0, 100) }
}

/** Rule texts below `errors` are keyed by member names such as `api_token`, which are no secrets themselves. */
function redactDetails({
  errors,
  key,
  keys,
  ...rest
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.entries({ errors: fewErrors(errors), key, keys }).filter(
    ([, value]) => value !== undefined,
  )
  return { ...Object.fromEntries(names), ...(redact(rest) as Record<string, unknown>) } // redact keeps an object an object.
}

/** A caller reads `errors` by member whatever was sent, so too many of them, or too long a name, keep the shape. */
function fewErrors(errors: unknown): unknown {
  if (typeof errors !== 'object' || errors === null) return errors
  const kept = Object.entries(errors).slice(0, ERRORS_MAX)
  return Object.fromEntries(kept.map(([name, messages]) => [name.slice(0, ERROR_NAME_MAX), messages]))
}
