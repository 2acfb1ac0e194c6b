import { type ErrorCode, errorRegistry, fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'

/** Members of a creation by name: true where the stored record has what was sent. */
export type Compared = Readonly<Record<string, boolean>>

export const isRepeat = (compared: Compared): boolean => differing(compared).length === 0

/** Refuses a repeat whose values are not the stored ones; `details.members` and the message name those that differ. */
export function otherValues(
  code: ErrorCode,
  compared: Compared,
  details: Readonly<Record<string, unknown>>,
): CodedError {
  const members = differing(compared)
  const { message } = errorRegistry[code]
  if (members.length === 0) return fail(code, { details })
  const named = members.map((member) => `\`${member}\``).join(', ')
  return fail(code, { message: `${message} Different: ${named}.`, details: { ...details, members } })
}

const differing = (compared: Compared): readonly string[] =>
  Object.keys(compared).filter((member) => compared[member] !== true)
