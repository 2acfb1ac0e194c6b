import { ApiError, UnreachableError } from '@fleet/sdk'

/** The error of a step in words: one line, and lines with what helps to look it up. */
export function explain(error: unknown): readonly [text: string, more: readonly string[]] {
  if (error instanceof ApiError) {
    const details = error.details === undefined ? [] : [`details ${JSON.stringify(error.details)}`]
    return [`${error.message} (${error.code})`, [`request ${error.requestId}`, ...details]]
  }
  if (error instanceof UnreachableError) return [error.message, [`request ${error.requestId}`]]
  return [error instanceof Error ? error.message : String(error), []]
}
