import type { DatabaseEngine } from '@fleet/contract'
import { SERVER_START_SECONDS } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { programOf, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { ALONE } from '#/processes/api.ts'

/** Where a server is, and how to log in as its root. */
export interface ServerLogin {
  readonly container: string
  readonly engine: DatabaseEngine
  readonly password: Secret
}

export interface Statement {
  readonly login: ServerLogin
  readonly sql: string
}

/** What no two scripts on a Node work on at once (decision 0264). */
export interface DatabaseLock {
  /** Process of the server. */
  readonly process: number
  readonly database: string
  /** When it is changed as well. */
  readonly user?: string | undefined
}

/** Statements about one database, or about the server without one. */
export interface LockedStatement extends Statement {
  readonly lock?: DatabaseLock
  /** Database and user are gone after them. */
  readonly isLast?: boolean
}

const lockOf = ({ process, database }: DatabaseLock): string => `${process}.database.${database}`
const userLockOf = ({ process, user }: DatabaseLock): string =>
  user === undefined ? '' : `${process}.user.${user}`

const CLIENT = textFile('client.sh', import.meta.url)
const REFUSE_FAILED = textFile('refuse-failed.sh', import.meta.url)
const END = '-- fleet: end'
// An earlier script has a minute to end.
const STATEMENT_SECONDS = 180
const ANSWER_SECONDS = 15

const inputOf = ({ login: { password }, sql }: Statement): Secret =>
  new Secret(`${password.reveal()}\n${sql}\n${END}`)

const NO_DOCKER = ['node.capability_missing', 'The Node has no Docker, which runs database servers.'] as const

const NO_VOLUME = [
  'database.server_start_failed',
  'Docker could neither empty nor make the volume of the database server on the Node. See why (`journalctl -u docker`), then run the same command again: it continues where it stopped.',
] as const

const NOT_TOLD = [
  'database.server_start_failed',
  'The Node did not say how the start of the database server went: a program there broke off. Run the same command again: it continues where it stopped.',
] as const

const BUSY = [
  'database.operation_busy',
  'An earlier request still works on this database on its Node. Run the same command again in a minute.',
] as const

const NOT_WRITTEN = [
  'database.server_start_failed',
  'The database server answers, but what its first start wrote could not be brought to the disk of the Node (`sync --file-system`). Look after the disk, then run the same command again: it continues where it stopped.',
] as const

/** Rows of the statements, a line each; nothing of what the server says otherwise leaves the Node (DBS-035, DBS-040). */
export const runStatements: NodeScript<LockedStatement, readonly string[]> = {
  source: programOf(textFile('run-statements.sh', import.meta.url), START, ALONE, CLIENT, REFUSE_FAILED),
  args: ({ login: { container, engine }, lock, isLast = false }) => [
    container,
    engine,
    ...(lock ? [lockOf(lock), userLockOf(lock), isLast ? 'forget' : 'keep'] : []),
  ],
  stdin: inputOf,
  timeoutSeconds: STATEMENT_SECONDS,
  reasons: {
    'no-docker': NO_DOCKER,
    incomplete: 'database.server_command_failed',
    failed: 'database.server_command_failed',
    server_unreachable: 'database.server_command_failed',
    busy: BUSY,
  },
  broken: 'database.server_command_failed',
  read: (answer) =>
    answer
      .text('rows')
      .split('\n')
      .filter((row) => row !== ''),
}

export interface CopyEnd extends Statement {
  readonly lock: DatabaseLock
}

/**
 * Ends what an earlier request still copies into a database, by statements that the given one lists: a copy begins anew anyway. No
 * script of an earlier request works on the database after it. Throws `database.operation_busy` and `database.server_command_failed`.
 */
export const endCopy: NodeScript<CopyEnd, void> = {
  source: programOf(textFile('end-copy.sh', import.meta.url), START, ALONE, CLIENT, REFUSE_FAILED),
  args: ({ login: { container, engine }, lock }) => [container, engine, lockOf(lock)],
  stdin: inputOf,
  timeoutSeconds: STATEMENT_SECONDS,
  reasons: {
    'no-docker': NO_DOCKER,
    incomplete: 'database.server_command_failed',
    failed: 'database.server_command_failed',
    server_unreachable: 'database.server_command_failed',
    busy: BUSY,
  },
  broken: 'database.server_command_failed',
  read: confirmed('ended'),
}

export interface DatabaseCopy {
  readonly login: ServerLogin
  /** Of the copy. */
  readonly lock: DatabaseLock
  readonly from: string
  /** Exists and is empty. */
  readonly to: string
  readonly owner: string
  readonly ownerPassword: Secret
}

/** Dumps a database in one snapshot into another one of the same server (INS-064). Throws `database.server_command_failed`. */
export const copyDatabase: NodeScript<DatabaseCopy, void> = {
  source: programOf(textFile('copy-database.sh', import.meta.url), START, ALONE),
  args: ({ login: { container, engine }, lock, from, to, owner }) => [
    container,
    engine,
    lockOf(lock),
    from,
    to,
    owner,
  ],
  stdin: ({ login: { password }, ownerPassword }) =>
    new Secret(`${password.reveal()}\n${ownerPassword.reveal()}\n`),
  isLong: true,
  reasons: { 'no-docker': NO_DOCKER, failed: 'database.server_command_failed', busy: BUSY },
  broken: 'database.server_command_failed',
  read: confirmed('copied'),
}

export interface NewVolume {
  readonly volume: string
  /** Of one creation alone. */
  readonly mark: string
  readonly process: number
}

/**
 * Before the first start of a server: what an interrupted one has left in the volume goes, and a volume that this creation has
 * not made is kept as it is. Throws `database.server_start_failed`.
 */
export const beginVolume: NodeScript<NewVolume, void> = {
  source: programOf(textFile('begin-volume.sh', import.meta.url), START, ALONE),
  args: ({ volume, mark, process }) => [volume, mark, process],
  timeoutSeconds: STATEMENT_SECONDS,
  reasons: {
    'no-docker': NO_DOCKER,
    failed: NO_VOLUME,
    busy: 'process.runtime_lock_failed',
  },
  broken: NOT_TOLD,
  read: confirmed('begun'),
}

/** Ends once root can log in over TCP inside the container (DBS-032). */
export const waitForLogin: NodeScript<Statement & { readonly seconds?: number }, void> = {
  source: programOf(textFile('wait-for-login.sh', import.meta.url), START, CLIENT),
  args: ({ login: { container, engine }, seconds = SERVER_START_SECONDS }) => [container, engine, seconds],
  stdin: inputOf,
  timeoutSeconds: SERVER_START_SECONDS + ANSWER_SECONDS,
  isLong: true,
  reasons: {
    'no-docker': NO_DOCKER,
    incomplete: NOT_TOLD,
    'no-login': 'database.server_start_failed',
    'not-written': NOT_WRITTEN,
  },
  broken: NOT_TOLD,
  read: confirmed('ready'),
}
