import { createHash } from 'node:crypto'
import type { DatabaseEngine } from '@fleet/contract'
import { engineRule, ENGINES } from '#/databases/servers/engines.ts'

const HASH_CHARACTERS = 8
const TEST = '_test'
const USER_MAX_CHARACTERS = 32

/** The text, or as much of it as fits before `_` and a digest of all of it (DBS-041, DBS-042). */
function fitted(text: string, max: number): string {
  if (text.length <= max) return text
  const digest = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)
  return `${text.slice(0, max - HASH_CHARACTERS - 1)}_${digest}`
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
  const { nameMaxCharacters: max } = engineRule(engine)
  const database = fitted(identifier(slug), owner ? max - TEST.length : max)
  return {
    database,
    user: fitted(owner ? identifier(`${owner.project}_${owner.instance}`) : database, USER_MAX_CHARACTERS),
    test: owner ? database + TEST : null,
  }
}

/** Role of those who may write in a database; null where each has rights of its own. */
export const roleFor = (engine: DatabaseEngine, database: string): string | null =>
  engine === 'pgsql' ? roleOf(database) : null

/** The same of PostgreSQL: no name of a user has a point. */
export const roleOf = (database: string): string =>
  fitted(`fleet.${database}`, ENGINES.pgsql.nameMaxCharacters)

/** One of the two names is a test database of the other (DBS-047): every name that begins with a test name is. */
export const isTestOf = (name: string, test: string | null): boolean => test !== null && name.startsWith(test)
