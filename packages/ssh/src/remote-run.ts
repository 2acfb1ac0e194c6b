import { type Command, inputOf } from '@fleet/shell'
import type { Client, ClientChannel } from 'ssh2'
import { Output } from './output.ts'
import { Announcement, announced } from './process-group.ts'
import { type CommandResult, type OutputListener, SshFailure } from './types.ts'

/** What becomes of what a command prints. */
export interface OutputOptions {
  readonly maxOutputBytes: number
  readonly onOutput?: OutputListener | undefined
}

/** A command that a Node accepted. */
export interface RemoteRun {
  readonly channel: ClientChannel
  /** Rejects with SshFailure `connection_lost` or `output_too_large`, both with `sent` true. */
  readonly result: Promise<CommandResult>
  /** Its process group, or undefined when the Node's shell did not say. */
  readonly group: Promise<number | undefined>
}

export interface Opening {
  readonly run: Promise<RemoteRun>
  /** True once the command may have begun on the Node. */
  sent(): boolean
}

/** Sends the line over a new channel. `run` rejects with what ssh2 said when no command was accepted. */
export function open(client: Client, line: string, output: OutputOptions): Opening {
  let sent = false
  // ssh2 reads its options after the channel is open and right before it sends the exec request; no event says so.
  const options = {
    get env(): NodeJS.ProcessEnv {
      sent = true
      return {}
    },
  }
  const run = new Promise<RemoteRun>((resolve, reject) => {
    client.exec(announced(line), options, (error, channel) => {
      if (error) reject(error)
      // In the callback itself: the exit may be in the same packet, and its event comes once.
      else resolve(attend(channel, output))
    })
  })
  return { run, sent: () => sent }
}

/** Writes the whole standard input and closes it; ssh2 waits for the peer's window in between. */
export function feed({ channel }: RemoteRun, command: Command): void {
  for (const part of inputOf(command)) channel.write(part)
  channel.end()
}

const attend = (channel: ClientChannel, { maxOutputBytes, onOutput }: OutputOptions): RemoteRun => {
  const [stdout, stderr] = Output.pair(maxOutputBytes, onOutput)
  const announcement = new Announcement()
  const { promise: result, resolve, reject } = Promise.withResolvers<CommandResult>()
  const keep = (output: Output, chunk: Buffer): void => {
    if (!output.add(chunk)) reject(new SshFailure('output_too_large', true))
  }
  // A channel's own errors are followed by its close; without a listener they would end the process.
  channel.on('error', () => undefined)
  channel.on('data', (chunk: Buffer) => keep(stdout, announcement.strip(chunk)))
  channel.stderr.on('data', (chunk: Buffer) => keep(stderr, chunk))
  const exit = exitOf(channel)
  const closed = Promise.all([ended(channel, 'close'), ended(channel.stderr, 'end')])
  void closed.then(() => {
    keep(stdout, announcement.rest())
    // No exit status came before the channel closed: the connection broke, and the outcome is not known.
    if (exit.code === undefined) reject(new SshFailure('connection_lost', true))
    else resolve({ exitCode: exit.code, signal: exit.signal, stdout: stdout.bytes(), stderr: stderr.bytes() })
  })
  // A caller that stopped waiting must not turn this into an unhandled rejection.
  result.catch(() => undefined)
  return { channel, result, group: announcement.group }
}

interface Exit {
  code: number | null | undefined
  signal: string | null
}

const exitOf = (channel: ClientChannel): Exit => {
  const exit: Exit = { code: undefined, signal: null }
  channel.on('exit', (code: number | null, signal?: string) => {
    exit.code = code
    exit.signal = signal ?? null
  })
  return exit
}

const ended = (stream: NodeJS.EventEmitter, event: string): Promise<void> =>
  new Promise((resolve) => {
    stream.once(event, () => resolve())
  })
