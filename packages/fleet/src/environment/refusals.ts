import { type ErrorCode, fail } from '@fleet/contract'
import type { CodedError, Details } from '@fleet/kernel'
import { filePathOf } from '#/environment/commands/place.ts'
import { type FormatProblem, FormatRefused } from '#/environment/format/index.ts'
import type { Problem } from '#/environment/rules.ts'
import type { Target } from '#/environment/target.ts'
import { withDetails } from '#/error-details.ts'
import { identityOf } from '#/nodes/api.ts'

// Details have 16 KiB in an answer; 1,024 names of 255 characters would need sixteen times as much.
const SHOWN_NAME_CHARACTERS = 8192

/** 422 `env.configuration_invalid` with rule, key and place, and what helps where the rule does not say it (ENV-075). */
export const configurationInvalid = (problem: Problem | FormatProblem): CodedError =>
  fail('env.configuration_invalid', {
    message: RULES[problem.rule],
    details: { ...problem, ...hintOf(problem) },
  })

const QUOTE = 'Quote the value.'

/** What each rule asks for. A value is never a part of it. */
const RULES: Readonly<Record<Problem['rule'], string>> = {
  file_size: 'A file of the environment configuration has at most 1 MiB.',
  file_encoding: 'The file is not UTF-8 text.',
  key_name: 'A key has 1 to 255 letters, digits and underscores, and does not begin with a digit.',
  key_count: 'An Instance has at most 1024 keys.',
  key_duplicate: 'The file has this key more than once.',
  value_encoding: 'A value must be UTF-8 text.',
  value_nul: 'A value must not contain a NUL.',
  value_size: 'A value has at most 65536 bytes.',
  line_syntax: 'A line must be empty, a comment, or a key with `=` and a value.',
  quote_open: 'The quoted value has no closing quote.',
  quote_unsupported: `Backticks are no quotes. ${QUOTE}`,
  hash_unquoted: `An unquoted value must not contain \`#\`. ${QUOTE}`,
  text_after_quote: 'Only a comment may follow a quoted value.',
  escape_unknown:
    'Programs read this escape sequence differently. Use single quotes, or escape the backslash.',
  expansion_unresolved: 'The value refers to a key that the file does not have before it.',
  expansion_unsupported: 'Only `$KEY` and `${KEY}` can be expanded. Use single quotes for a dollar sign.',
  command_substitution: 'A value must not contain a command. Use single quotes for a dollar sign.',
  placeholder_unknown:
    'The placeholders are `{{instance.domain}}` and `{{instance.environment}}`, without spaces.',
  placeholder_unresolved:
    'A value has no `{{` or `}}` but those of its placeholders. Put a space between the braces.',
  app_url: 'The `APP_URL` of this Instance must be `https://{{instance.domain}}`.',
}

const HINTS: Readonly<Partial<Record<Problem['rule'], string>>> = {
  hash_unquoted:
    'Some programs end an unquoted value at `#`, others do not. Quote the value, or put a space before the comment.',
  quote_unsupported: 'Programs read backticks differently. Use single or double quotes.',
}

function hintOf({ rule }: Problem | FormatProblem): { readonly hint?: string } {
  const hint = HINTS[rule]
  return hint === undefined ? {} : { hint }
}

/** 409 `env.source_unsafe` for a file of which nobody can say what would be lost with it: with its place and problem. */
export function undetermined(
  { instance, place }: Pick<Target, 'instance' | 'place'>,
  problem: FormatProblem,
): CodedError {
  const keys = 'so its keys cannot be determined'
  return fail('env.source_unsafe', {
    message:
      problem.rule === 'file_encoding'
        ? `The ${place.file} file on the Node is not UTF-8 text, ${keys}.`
        : `The ${place.file} file on the Node has a line that cannot be read, ${keys}. ${RULES[problem.rule]}`,
    details: { ...placeDetail({ instance, place }), user: place.user, reason: 'syntax', ...problem },
  })
}

/** Runs what refuses the content of a file: a refusal names the Node and the path. */
export function ofFile<T>(target: Target, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw withDetails(error, placeDetail(target), 'env.configuration_invalid')
  }
}

const placeDetail = ({ instance: { node }, place }: Pick<Target, 'instance' | 'place'>): Details => ({
  ...(node ? { node: identityOf(node) } : {}),
  path: filePathOf(place),
})

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
  throw fail(code, { details: namesDetail(names) })
}

/** Names of keys, comma-separated, and their number. */
export const namesDetail = (names: readonly string[]): { readonly keys: string; readonly count: number } => ({
  keys: shown(names),
  count: names.length,
})

function shown(names: readonly string[]): string {
  const all = names.join(',')
  if (all.length <= SHOWN_NAME_CHARACTERS) return all
  return `${all.slice(0, all.lastIndexOf(',', SHOWN_NAME_CHARACTERS))},…`
}
