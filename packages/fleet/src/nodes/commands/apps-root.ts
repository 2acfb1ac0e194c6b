import { type Command, DURABLE, programOf, script, textFile } from '@fleet/shell'

/** What the Node says about an apps path. */
export const appsRootAnswers = [
  'accepted',
  'created',
  'missing',
  'symbolic_link',
  'not_a_directory',
  'foreign_owner',
  'writable_by_others',
  'create_failed',
] as const
export type AppsRootAnswer = (typeof appsRootAnswers)[number]

/**
 * Checks the path as the managed user and, when allowed, makes what is missing with mode 0755; one round trip.
 * Prints one word of `appsRootAnswers` and ends with 0. What is there keeps owner and mode; a failed making leaves nothing (NODE-109, NODE-110).
 */
export const appsRoot = (path: string, mayCreate: boolean): Command =>
  script(SOURCE, path, mayCreate ? 'create' : 'keep')

/** Undefined when the script did not run to its end. */
export function readAppsRootAnswer(stdout: Buffer): AppsRootAnswer | undefined {
  const word = stdout.toString('utf8').trim()
  return appsRootAnswers.find((answer) => answer === word)
}

const SOURCE = programOf(textFile('apps-root.sh', import.meta.url), DURABLE)
