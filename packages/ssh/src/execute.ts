import type { Clock } from '@fleet/kernel'
import { type Command, script, textFile } from '@fleet/shell'
import type { Connection } from './connection.ts'
import { openPatiently } from './open-patiently.ts'
import { feed, type Opening, type OutputOptions, type RemoteRun } from './remote-run.ts'
import { atMost, orAborted } from './time-limit.ts'
import { type CommandResult, SshFailure } from './types.ts'

export interface ExecuteOptions extends OutputOptions {
  /** Aborts with an SshFailure `timeout` or `cancelled`. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** Longest wait for the end of a stopped command; then the caller continues without proof. */
const ENDING_MILLISECONDS = 4000

/** How long a command that hangs at its login is still ended should it wake up: the caller has left. */
const LATE_MILLISECONDS = 60_000

/** Arguments: the group. Prints nothing; exit status 1 where something of it lives on. */
export const END_GROUP = textFile('end-group.sh', import.meta.url)

/** Runs one command over an open connection. Throws SshFailure; a command that failed is a result. */
export async function execute(
  connection: Connection,
  command: Command,
  options: ExecuteOptions,
): Promise<CommandResult> {
  if (connection.closed) throw new SshFailure('connection_lost', false)
  const opening = openPatiently(connection.client, command.line, options)
  try {
    const run = await orAborted(opening.run, options.signal)
    feed(run, command, options.stdinFrom)
    return await orAborted(run.result, options.signal)
  } catch (error) {
    throw await failure(error, opening, connection, options)
  }
}

const failure = async (
  reason: unknown,
  opening: Opening,
  connection: Connection,
  options: ExecuteOptions,
): Promise<SshFailure> => {
  if (!(reason instanceof SshFailure)) return refused(reason, opening, connection)
  if (reason.kind === 'connection_lost') return reason
  // What the peer did not accept does not run.
  const ending = opening.run.then(
    (run) => endRemote(connection, run, options.clock),
    () => true,
  )
  let isProven = false
  const proven = ending.then((ended) => (isProven = ended))
  await atMost(options.clock, ENDING_MILLISECONDS, proven)
  // A command without an end keeps one of the few sessions that sshd gives a connection; the next ones get a connection anew.
  if (!isProven) retire(connection, ending, options.clock)
  // What prints without an end would go on printing to nobody.
  if (reason.kind === 'output_too_large') closeChannel(opening)
  return new SshFailure(reason.kind, opening.sent())
}

const retire = (connection: Connection, ending: Promise<unknown>, clock: Clock): void => {
  void atMost(clock, LATE_MILLISECONDS, ending).then(connection.enter())
  connection.retire()
}

const closeChannel = ({ run }: Opening): void =>
  void run.then(
    ({ channel }) => channel.close(),
    () => undefined,
  )

/** No channel came of it: the connection broke meanwhile, or the peer said no and so ran nothing. */
const refused = (cause: unknown, opening: Opening, connection: Connection): SshFailure =>
  connection.closed
    ? new SshFailure('connection_lost', opening.sent(), cause)
    : new SshFailure('unreachable', false, cause)

/**
 * Ends the whole process group of a command by a second command on the same connection. A `signal` request would not do:
 * ssh2 sends none once standard input is closed, sshd ignores it for logins as root, and neither proves the end. Resolves
 * with whether the end is proven.
 */
const endRemote = async (connection: Connection, run: RemoteRun, clock: Clock): Promise<boolean> => {
  const group = await run.group
  const isEnded = group !== undefined && (await endGroup(connection, group, clock))
  run.channel.close()
  return isEnded
}

const endGroup = async (connection: Connection, group: number, clock: Clock): Promise<boolean> => {
  const { signal } = new AbortController()
  const release = await connection.endings.take(signal)
  try {
    const command = script(END_GROUP, group)
    const ending = await openPatiently(connection.client, command.line, {
      clock,
      signal,
      maxOutputBytes: 0,
    }).run
    feed(ending, command)
    const { exitCode } = await ending.result
    return exitCode === 0
  } finally {
    release()
  }
}
