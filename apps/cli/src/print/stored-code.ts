import type { CliTree } from '@fleet/surfaces'

/**
 * What a code says that a record has stored; undefined for one that this client does not know. The details of its error were
 * answered when it happened and are not stored, so the sentences about them are left out.
 */
export function storedCodeText({ errors }: CliTree, code: string): string | undefined {
  const message = Object.hasOwn(errors, code) ? errors[code]?.message : undefined
  if (message === undefined) return undefined
  const kept = message.split(/(?<=\.) (?=[A-Z`])/).filter((sentence) => !sentence.startsWith('`details'))
  return kept.length === 0 ? message : kept.join(' ')
}
