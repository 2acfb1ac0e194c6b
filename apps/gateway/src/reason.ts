/** Why the gateway cannot start, for the person who started it: one sentence, or the stack of what is a defect. */
export function reasonOf(error: unknown): string {
  const isDefect = !(error instanceof Error) || DEFECTS.some((kind) => error instanceof kind)
  if (isDefect) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `the gateway cannot start: ${messageOf(error)}`
}

const DEFECTS = [TypeError, ReferenceError, RangeError, SyntaxError]

/** A connection that failed at several addresses says nothing itself; its parts do. */
export const messageOf = (error: unknown): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map(ownMessageOf).join('; ')
    : ownMessageOf(error)

const ownMessageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The same error with the place in front, for one that only its driver understands. */
export const located =
  (place: string) =>
  (error: unknown): never => {
    const isForeign = error instanceof Error && 'code' in error
    if (!isForeign) throw error
    throw new Unavailable(`${place}: ${messageOf(error)}`, { cause: error })
  }

/** What the gateway needs to start does not answer. The message names it. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}
