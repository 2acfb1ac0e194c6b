import { Secret } from '@fleet/kernel'
import { type Command, run, withPayload, withStdin } from '@fleet/shell'
import { throughGateway } from '#/instances/through-gateway.ts'
import { type NodeSession, noteExit } from '#/nodes/api.ts'
import { isMissingCommand } from './missing-command.ts'

/** A SQLite database on a Node, read as the user of the session. */
export interface SqliteSource {
  readonly session: NodeSession
  /** Absolute. */
  readonly path: string
  /** Folder that the file has to be in, whatever links say. */
  readonly root?: string | undefined
}

/** Where one arrives, written as the user of the session. */
export interface SqliteTarget {
  readonly session: NodeSession
  readonly path: string
  readonly root: string
  /** For a place that may belong to somebody else: what has the name and is not of this claim stays. */
  readonly claim?: string | undefined
}

/** At which end it was not carried: the source, on the way, or the destination. */
export type CarryEnd = 'source' | 'way' | 'destination'

export interface CarryRefusal {
  readonly end: CarryEnd
  /** One word, such as `missing` or `full`. */
  readonly problem: string
}

/** What was done, or why not. */
export type CarryAnswer = { readonly done: string } | CarryRefusal

const MAX_OUTPUT_BYTES = 4096

/**
 * The database of one moment, also while others write to it, becomes a file on another Node: sent through the gateway, compared by
 * its digest, checked, and named last (decision 0216). Answers the digest. May be repeated with the same id. Throws what the
 * sessions throw.
 */
export async function carrySqlite(from: SqliteSource, to: SqliteTarget, id: string): Promise<CarryAnswer> {
  const [sent, received] = await throughGateway({
    send: (stdoutTo, signal) =>
      from.session.run(carrying('send', sourceInput(from, id)), { stdoutTo, signal, isLong: true }),
    receive: async (stdinFrom, signal) => {
      const command = withPayload(carrying('receive', targetInput(to)), new Uint8Array())
      const options = { stdinFrom, signal, isLong: true, maxOutputBytes: MAX_OUTPUT_BYTES }
      return answerOf(to.session, 'destination', await to.session.run(command, options))
    },
    // On the way nothing is left to take.
    isRefused: (answer) => 'problem' in answer && answer.end !== 'way',
  })
  // Who takes nothing more says why; the other end was only cut off.
  const answer = received.status === 'fulfilled' ? received.value : undefined
  if (answer && 'problem' in answer && answer.end !== 'way') return answer
  if (sent.status === 'rejected') throw sent.reason
  if (sent.value.exitCode !== 0) return answerOf(from.session, 'source', sent.value)
  if (received.status === 'rejected') throw received.reason
  return received.value
}

/** Whether the database could be sent. Changes nothing. */
export const examineSqlite = (from: SqliteSource): Promise<CarryAnswer> =>
  ask(from.session, 'source', carrying('examine', sourceInput(from, '')))

/** The digest of what would be sent now: the same as long as nobody changes the database. */
export const digestSqlite = (from: SqliteSource, id: string): Promise<CarryAnswer> =>
  ask(from.session, 'source', carrying('digest', sourceInput(from, id)))

/** Removes what has arrived, as far as it came. */
export const dropSqlite = (to: SqliteTarget): Promise<CarryAnswer> =>
  ask(to.session, 'destination', carrying('drop', targetInput(to)), { cleanup: true })

/** The file that a claim has kept is its owner's from now on. */
export const releaseSqlite = (to: SqliteTarget): Promise<CarryAnswer> =>
  ask(to.session, 'destination', carrying('release', targetInput(to)))

async function ask(
  session: NodeSession,
  end: CarryEnd,
  command: Command,
  options: { readonly cleanup?: boolean } = {},
): Promise<CarryAnswer> {
  const limits = { isLong: true, maxOutputBytes: MAX_OUTPUT_BYTES, ...options }
  return answerOf(session, end, await session.run(command, limits))
}

/** Paths are on standard input, as those of statements (DB-065). */
const carrying = (word: string, input: object): Command =>
  withStdin(run('fleet', 'node-sqlite-carry', word), new Secret(`${JSON.stringify(input)}\n`))

const sourceInput = ({ path, root }: SqliteSource, id: string): object => ({ id, from: path, fromRoot: root })

const targetInput = ({ path, root, claim }: SqliteTarget): object => ({ to: path, toRoot: root, claim })

function answerOf(
  session: NodeSession,
  end: CarryEnd,
  { exitCode, stdout }: { readonly exitCode: number | null; readonly stdout: Buffer },
): CarryAnswer {
  noteExit(session, { exitCode })
  if (exitCode !== 0) return refusalOf(end, exitCode)
  const text = stdout.toString()
  const [, done] = /^\{"done":"([a-z0-9]+)"\}\n$/.exec(text) ?? []
  if (done !== undefined) return { done }
  const [, found, problem] = /^\{"end":"(source|way|destination)","problem":"([a-z_]+)"\}\n$/.exec(text) ?? []
  return { end: ENDS.find((each) => each === found) ?? end, problem: problem ?? 'failed' }
}

const ENDS: readonly CarryEnd[] = ['source', 'way', 'destination']

const refusalOf = (end: CarryEnd, exitCode: number | null): CarryRefusal => ({
  end,
  problem: isMissingCommand(exitCode) ? 'command_missing' : 'failed',
})
