import { createHash } from 'node:crypto'
import type { DatabaseEngine } from '@fleet/contract'
import { engineRule, ENGINES } from '#/databases/servers/engines.ts'

const HASH_CHARACTERS = 8
const TEST = '_test'
const USER_MAX_CHARACTERS = 32

/** Where Docker keeps the data of a server. */
export const volumeOf = (slug: string): string => `fleet-${slug}-data`

/** The text, or as much of it as fits before `_` and a digest of all of it (DBS-041, DBS-042). */
function fitted(text: string, fits: (name: string) => boolean): string {
  if (fits(text)) return text
  const end = `_${createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)}`
  let kept = text.length
  while (kept > 0 && !fits(text.slice(0, kept) + end)) kept -= 1
  return text.slice(0, kept) + end
}

const isWithin =
  (max: number) =>
  ({ length }: string): boolean =>
    length <= max

/** A database in a grant of MySQL, where `_` stands for any character. */
export const literally = (name: string): string => name.replaceAll('_', '\\_')

/** All databases that begin with the name of a test database. */
export const testPattern = (test: string): string => `${literally(test)}%`

/** Whether a database and its test databases can be named, on MySQL also in a grant, which is no longer than a name. */
const nameable =
  (engine: DatabaseEngine, isOwned: boolean) =>
  (database: string): boolean => {
    const { nameMaxCharacters: max } = engineRule(engine)
    const fits = isWithin(max)
    if (engine === 'pgsql') return fits(isOwned ? database + TEST : database)
    return fits(isOwned ? testPattern(database + TEST) : literally(database))
  }

const identifier = (text: string): string => text.replaceAll('-', '_')

export interface DatabaseNames {
  readonly database: string
  readonly user: string
  /** Null for a database without an Instance. */
  readonly test: string | null
}

/** An Instance by what names its user. */
export interface OwnerNames {
  readonly project: string
  readonly instance: string
}

/** Names of a database on a server (DBS-041 to DBS-046). That of an owned one leaves room for the name of its test database. */
export function namesOf(engine: DatabaseEngine, slug: string, owner: OwnerNames | undefined): DatabaseNames {
  const database = fitted(identifier(slug), nameable(engine, owner !== undefined))
  return {
    database,
    user: fitted(
      owner ? identifier(`${owner.project}_${owner.instance}`) : database,
      isWithin(USER_MAX_CHARACTERS),
    ),
    test: owner ? database + TEST : null,
  }
}

/** Whether the engine lets nobody log in with the name. */
export const isKept = (engine: DatabaseEngine, user: string): boolean =>
  engine === 'pgsql' && /^(?:pg_.*|public|none)$/.test(user)

/** Role of those who may write in a database; null where each has rights of its own. */
export const roleFor = (engine: DatabaseEngine, database: string): string | null =>
  engine === 'pgsql' ? roleOf(database) : null

/** The same of PostgreSQL: no name of a user has a point. */
export const roleOf = (database: string): string =>
  fitted(`fleet.${database}`, isWithin(ENGINES.pgsql.nameMaxCharacters))

/** One of the two names is a test database of the other (DBS-047): every name that begins with a test name is. */
export const isTestOf = (name: string, test: string | null): boolean => test !== null && name.startsWith(test)
