import type { Details, RetryAdvice } from '@fleet/kernel'
import { AnswerError, ApiError } from './errors.ts'

/** What a successful request brought. */
export interface Answer<T> {
  readonly data: T
  readonly status: number
  readonly requestId: string
  /** The body letter by letter; of watched work the last line. */
  readonly text: string
}

export type RetryOf = (code: string) => RetryAdvice | undefined

export interface AnswerFacts {
  readonly status: number
  readonly requestId: string
  readonly retryOf: RetryOf
}

/** `data` of an envelope. Throws ApiError for an error envelope and AnswerError for anything that is no envelope. */
export function readEnvelope(text: string, facts: AnswerFacts): Answer<unknown> {
  const body = parsed(text, facts)
  if (facts.status >= 400) throw refusal(isObject(body) ? body['error'] : undefined, text, facts)
  if (!isObject(body) || !('data' in body)) throw notApi(facts, 'its response has no envelope')
  const meta = body['meta']
  const requestId =
    isObject(meta) && typeof meta['request_id'] === 'string' ? meta['request_id'] : facts.requestId
  return { data: body['data'], status: facts.status, requestId, text }
}

/** The error of an answer whose status or last line says that it failed. */
export function refusal(error: unknown, text: string, facts: AnswerFacts): ApiError | AnswerError {
  if (!isObject(error) || typeof error['code'] !== 'string')
    return notApi(facts, 'its response has no error code')
  const { code, message, details, request_id: requestId } = error
  return new ApiError({
    code,
    message: typeof message === 'string' ? message : '',
    status: facts.status,
    details: isObject(details) ? details : undefined,
    requestId: typeof requestId === 'string' ? requestId : facts.requestId,
    retry: facts.retryOf(code),
    text,
  })
}

function parsed(text: string, facts: AnswerFacts): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notApi(facts, 'its response is not JSON', cause)
  }
}

export const notApi = ({ status, requestId }: AnswerFacts, why: string, cause?: unknown): AnswerError =>
  new AnswerError(`This is not a Fleet gateway, or a proxy is in front of it: ${why} (status ${status}).`, {
    status,
    requestId,
    cause,
  })

export const isObject = (value: unknown): value is Details =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
