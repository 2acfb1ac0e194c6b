import type { Readable, Writable } from 'node:stream'
import { type Command, inputOf } from '@fleet/shell'
import type { Client, ClientChannel } from 'ssh2'
import { Output } from './output.ts'
import { Announcement, announced } from './process-group.ts'
import { type CommandResult, type OutputListener, SshFailure } from './types.ts'

/** What becomes of what a command prints. */
export interface OutputOptions {
  readonly maxOutputBytes: number
  readonly onOutput?: OutputListener | undefined
  readonly stdoutTo?: Writable | undefined
  readonly stdinFrom?: Readable | undefined
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
export function feed({ channel }: RemoteRun, command: Command, stdinFrom?: Readable): void {
  for (const part of inputOf(command)) channel.write(part)
  if (stdinFrom) pour(stdinFrom, channel)
  else channel.end()
}

/** An end that is none must not look like one: what was cut off is closed, and its command has no exit code. */
const pour = (from: Readable, channel: ClientChannel): void => {
  from.once('close', () => {
    if (!from.readableEnded) channel.close()
  })
  // Nobody reads on: whoever writes must not wait for it.
  channel.once('close', () => from.destroy())
  from.on('error', () => undefined)
  if (from.destroyed) channel.close()
  else from.pipe(channel)
}

const attend = (channel: ClientChannel, { maxOutputBytes, onOutput, stdoutTo }: OutputOptions): RemoteRun => {
  const [stdout, stderr] = Output.pair(maxOutputBytes, onOutput)
  const announcement = new Announcement()
  const { promise: result, resolve, reject } = Promise.withResolvers<CommandResult>()
  const keep = (output: Output, chunk: Buffer): void => {
    if (!output.add(chunk)) reject(new SshFailure('output_too_large', true))
  }
  // A channel's own errors are followed by its close; without a listener they would end the process.
  channel.on('error', () => undefined)
  const take = stdoutTo ? takenBy(stdoutTo, channel) : (chunk: Buffer) => keep(stdout, chunk)
  channel.on('data', (chunk: Buffer) => take(announcement.strip(chunk)))
  channel.stderr.on('data', (chunk: Buffer) => keep(stderr, chunk))
  const exit = exitOf(channel)
  const closed = Promise.all([ended(channel, 'close'), ended(channel.stderr, 'end')])
  void closed.then(() => {
    take(announcement.rest())
    // No exit status came before the channel closed: the connection broke, and the outcome is not known.
    if (exit.code === undefined) {
      stdoutTo?.destroy()
      return reject(new SshFailure('connection_lost', true))
    }
    stdoutTo?.end()
    resolve({ exitCode: exit.code, signal: exit.signal, stdout: stdout.bytes(), stderr: stderr.bytes() })
  })
  // A caller that stopped waiting must not turn this into an unhandled rejection.
  result.catch(() => undefined)
  return { channel, result, group: announcement.group }
}

/** The channel is read only as fast as the stream takes it, so that a slow reader costs no memory. */
const takenBy = (stream: Writable, channel: ClientChannel): ((chunk: Buffer) => void) => {
  const resume = (): void => void channel.resume()
  stream
    .on('error', () => undefined)
    .on('drain', resume)
    .on('close', resume)
  return (chunk) => {
    if (chunk.length === 0 || stream.destroyed || stream.write(chunk)) return
    channel.pause()
  }
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
