import { posix } from 'node:path'
import { type Answer, DURABLE, programOf, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

export interface AccessTarget {
  /** Account of the web server; empty where it is that of the checkout. */
  readonly account: string
  /** Home of the managed user, for a snapshot that could not be restored. */
  readonly home: string
  readonly checkoutPath: string
  /** Absolute, within the checkout. */
  readonly webRoots: readonly string[]
}

export const accessRefusals = [
  'account_missing',
  'acl_missing',
  'checkout_missing',
  'closed_above',
  'failed',
  'foreign_owner',
  'link',
  'not_restored',
  'not_saved',
  'web_root_missing',
] as const
export type AccessRefusal = (typeof accessRefusals)[number]

export type AccessOutcome =
  | { readonly refused: AccessRefusal; readonly path: string | undefined }
  | { readonly unreadable: readonly string[]; readonly count: number }

const MAX_PATH_CHARACTERS = 200

/** Defines `storage_of ROOT` and `links_in ROOT`, among others. */
export const PATHS = textFile('paths.sh', import.meta.url)
const ENTRIES = textFile('entries.sh', import.meta.url)

/** As the managed user, so that it changes nothing that is not this user's own. */
export const applyAccess: NodeScript<AccessTarget, AccessOutcome> = {
  source: programOf(textFile('apply-access.sh', import.meta.url), DURABLE, PATHS, ENTRIES),
  as: 'login',
  args: ({ account, home, checkoutPath, webRoots }) => [account, home, checkoutPath, ...webRoots],
  timeoutSeconds: 180,
  reasons: {},
  readsRefusals: true,
  broken: 'app-dev.source_access_failed',
  read: (answer, { checkoutPath }) => {
    if (answer.has('refused'))
      return { refused: answer.word('refused', accessRefusals), path: pathIn(answer, checkoutPath) }
    answer.word('applied', ['yes'])
    // Without a root nothing is looked at.
    if (!answer.has('count')) return { unreadable: [], count: 0 }
    const unreadable = answer.get('unreadable')?.toString('utf8').split('\n').filter(Boolean) ?? []
    return {
      unreadable: unreadable.map((path) => shownPath(path, checkoutPath)),
      count: Number.parseInt(answer.text('count'), 10) || 0,
    }
  },
}

const pathIn = (answer: Answer, checkoutPath: string): string | undefined => {
  const path = answer.get('path')?.toString('utf8')
  return path === undefined ? undefined : shownPath(path, checkoutPath)
}

/** Relative to the checkout where it is in there; one bounded line of somebody's name for a file. */
function shownPath(path: string, checkoutPath: string): string {
  const relative = posix.relative(checkoutPath, path)
  const shown = relative === '' || relative.startsWith('..') ? path : relative
  return shown.replaceAll(/\p{Cc}|\p{Cf}|\uFFFD/gu, '?').slice(0, MAX_PATH_CHARACTERS)
}
