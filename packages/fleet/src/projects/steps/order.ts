import { type ErrorCode, fail, invalid } from '@fleet/contract'

/** Where a step goes: right before or right after another of its list, else to the end. */
export interface Place {
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** Throws `validation.failed` for both at once and for a step beside itself (PRJ-061). */
export function requirePlace(name: string, { before, after }: Place): void {
  if (before !== undefined && after !== undefined) {
    const rule = ['before and after cannot be combined']
    throw invalid({ before: rule, after: rule })
  }
  if (before === name) throw invalid({ before: ['must name another step'] })
  if (after === name) throw invalid({ after: ['must name another step'] })
}

export const isPlaced = ({ before, after }: Place): boolean => before !== undefined || after !== undefined

/** The names with this one at its place. Throws the given code when the neighbour is not in the list. */
export function placed(
  names: readonly string[],
  name: string,
  { before, after }: Place,
  notFound: ErrorCode,
): readonly string[] {
  const others = names.filter((other) => other !== name)
  const neighbour = before ?? after
  if (neighbour === undefined) return [...others, name]
  const at = others.indexOf(neighbour)
  if (at < 0) throw fail(notFound, { details: { step: neighbour } })
  return others.toSpliced(before === undefined ? at + 1 : at, 0, name)
}

interface Timed {
  readonly timeout_seconds: number
}

export interface ListLimits {
  readonly listMax: number
  readonly listTotalSeconds: number
}

/** Throws `validation.failed` for a list that is too long or takes too much time (PRJ-062, DEPL-003). */
export function requireListFits(steps: readonly Timed[], { listMax, listTotalSeconds }: ListLimits): void {
  if (steps.length > listMax) throw invalid({ name: [`a list can have at most ${listMax} steps`] })
  const total = steps.reduce((sum, step) => sum + step.timeout_seconds, 0)
  if (total > listTotalSeconds) {
    const rule = `the time limits of a list can add up to at most ${listTotalSeconds} seconds, and would add up to ${total}`
    throw invalid({ timeout_seconds: [rule] })
  }
}

/** Throws `validation.failed` for an update without a member to change. */
export function requireChange(members: readonly unknown[]): void {
  if (members.every((member) => member === undefined))
    throw invalid({ body: ['must contain at least one member to change'] })
}
