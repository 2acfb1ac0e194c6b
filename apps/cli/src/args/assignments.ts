import { ClientError, EXIT } from '#/exit.ts'
import { type Assignments, assignments } from '#/hints.ts'
import { didYouMean } from '#/suggest.ts'
import { withMember } from './dotted.ts'
import type { ParsedLine } from './parse.ts'
import { type Fields, readMembers, requireMembers } from './values.ts'

/** The members of a command line whose words behind the arguments are assignments. Its option, whole or dotted, goes before them. */
export function readWithAssignments(
  line: ParsedLine,
  command: Fields & { readonly name: string },
): Record<string, unknown> {
  const pairs = assignments[command.name]
  const isOption = [...line.options.keys()].some(
    (name) => name === pairs?.member || name.startsWith(`${pairs?.member ?? ''}.`),
  )
  if (!pairs || isOption) return readMembers(line, command)
  const count = command.arguments.length
  const members = readMembers({ ...line, positionals: line.positionals.slice(0, count) }, command)
  // A missing argument is said first, by the same words as everywhere.
  requireMembers(members, { arguments: command.arguments, options: [] })
  return { ...members, [pairs.member]: readAssignments(line.positionals.slice(count), pairs) }
}

/** `apps.path=/srv` as `{apps: {path: '/srv'}}`; nothing behind the sign clears the key. */
export function readAssignments(words: readonly string[], { keys, codePrefix }: Assignments): unknown {
  const refuse = (reason: string, message: string): ClientError =>
    new ClientError(`${codePrefix}_${reason}`, message, { exit: EXIT.usage })
  if (words.length === 0)
    throw refuse('required', `Specify at least one setting as KEY=VALUE. Keys: ${keys.join(', ')}.`)
  const seen = new Set<string>()
  let settings: unknown = {}
  for (const word of words) {
    const at = word.indexOf('=')
    const key = at < 0 ? word : word.slice(0, at)
    if (at < 1) throw refuse('invalid', `${JSON.stringify(word)} does not have the form KEY=VALUE.`)
    if (!keys.includes(key))
      throw refuse(
        'unknown',
        `Unknown setting: ${key}. ${didYouMean(key, keys) ?? `Keys: ${keys.join(', ')}.`}`,
      )
    if (seen.has(key)) throw refuse('duplicate', `The setting ${key} was given more than once.`)
    seen.add(key)
    settings = withMember(settings, key.split('.'), at === word.length - 1 ? null : word.slice(at + 1))
  }
  return settings
}
