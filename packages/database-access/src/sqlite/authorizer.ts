import { constants } from 'node:sqlite'
import { BEYOND_FILE, isReadPragma, isSqliteRead } from './functions.ts'

/** What SQLite asks while it prepares a statement, and what was refused. */
export interface Authorizer {
  authorize(action: number, first: string | null, second: string | null): number
  /** The first thing that was refused: a name of a function, pragma or action. */
  refused(): string | undefined
}

const { SQLITE_DENY, SQLITE_OK } = constants

/**
 * Allows reading and nothing else: every action is named by SQLite itself (c3ref/c_alter_table.html). Writes of `shadow`
 * tables, and those that are only planned, may be prepared; the file is open for reading only.
 */
export function readAuthorizer(shadow: ReadonlySet<string>, planned: boolean): Authorizer {
  return remembering((action, first, second) => {
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_READ:
      case constants.SQLITE_RECURSIVE:
        return undefined
      case constants.SQLITE_FUNCTION:
        return isSqliteRead(second ?? '') ? undefined : `the function ${second ?? ''}`
      case constants.SQLITE_PRAGMA:
        return isReadPragma(first ?? '', second) ? undefined : `the pragma ${first ?? ''}`
      case constants.SQLITE_INSERT:
      case constants.SQLITE_UPDATE:
      case constants.SQLITE_DELETE:
        return planned || shadow.has(first ?? '') ? undefined : ACTIONS.get(action)
      default:
        return ACTIONS.get(action) ?? 'an unknown action'
    }
  })
}

/** A write stays within its file: no other file is attached, nothing is loaded, no directory is set. */
export function writeAuthorizer(): Authorizer {
  return remembering((action, first, second) => {
    // VACUUM attaches a file without a name, which is temporary.
    if (action === constants.SQLITE_ATTACH && first !== '') return 'ATTACH'
    if (action === constants.SQLITE_FUNCTION && second?.toLowerCase() === 'load_extension')
      return 'the function load_extension'
    if (action === constants.SQLITE_PRAGMA && BEYOND_FILE.has((first ?? '').toLowerCase()))
      return `the pragma ${first ?? ''}`
    return undefined
  })
}

function remembering(
  judge: (action: number, first: string | null, second: string | null) => string | undefined,
): Authorizer {
  let refused: string | undefined
  return {
    authorize(action, first, second) {
      const subject = judge(action, first, second)
      refused ??= subject
      return subject === undefined ? SQLITE_OK : SQLITE_DENY
    },
    refused: () => refused,
  }
}

const ACTIONS: ReadonlyMap<number, string> = new Map(
  Object.entries(constants)
    .filter(([name]) =>
      /^SQLITE_(CREATE|DROP|INSERT|UPDATE|DELETE|ATTACH|DETACH|ALTER|REINDEX|ANALYZE|TRANSACTION|SAVEPOINT)/.test(
        name,
      ),
    )
    .map(([name, value]) => [value, name.slice('SQLITE_'.length).replaceAll('_', ' ')]),
)
