import { type ErrorCode, fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { type FormatProblem, FormatRefused } from '#/environment/format/index.ts'
import type { Problem } from '#/environment/rules.ts'

// Details have 16 KiB in an answer; 1,024 names of 255 characters would need sixteen times as much.
const SHOWN_NAME_CHARACTERS = 8192

/** 422 `env.configuration_invalid` with rule, key and place, and what helps where the rule does not say it (ENV-075). */
export const configurationInvalid = (problem: Problem | FormatProblem): CodedError =>
  fail('env.configuration_invalid', { details: { ...problem, ...hintOf(problem) } })

const HINTS: Readonly<Partial<Record<Problem['rule'], string>>> = {
  hash_unquoted:
    'Some programs end an unquoted value at `#`, others do not. Quote the value, or put a space before the comment.',
  quote_unsupported: 'Programs read backticks differently. Use single or double quotes.',
}

function hintOf({ rule }: Problem | FormatProblem): { readonly hint?: string } {
  const hint = HINTS[rule]
  return hint === undefined ? {} : { hint }
}

/** Throws when there is a problem. */
export function refuseInvalid(problem: Problem | undefined): void {
  if (problem) throw configurationInvalid(problem)
}

/** Runs a reading of a file, its refusal turned into the operation's. */
export function readingFile<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    // Without the cause: the code says it all, and nothing near a value goes further than it must.
    throw error instanceof FormatRefused ? configurationInvalid(error.problem) : error
  }
}

/** Throws the code when there are names, with the names comma-separated and their number (ENV-030, ENV-048). */
export function refuseNames(code: ErrorCode, names: readonly string[]): void {
  if (names.length === 0) return
  throw fail(code, { details: { keys: shown(names), count: names.length } })
}

function shown(names: readonly string[]): string {
  const all = names.join(',')
  if (all.length <= SHOWN_NAME_CHARACTERS) return all
  return `${all.slice(0, all.lastIndexOf(',', SHOWN_NAME_CHARACTERS))},…`
}
