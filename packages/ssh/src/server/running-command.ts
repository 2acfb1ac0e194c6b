import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { constants } from 'node:os'
import type { Clock } from '@fleet/kernel'
import type { ServerChannel } from 'ssh2'
import { endGroup, signalGroup, startGroup } from '#/local-process.ts'
import { relayOutput } from './relay-output.ts'

export interface CommandContext {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
}

export interface RunningCommand {
  /** Resolves when the command has ended and, if the client is still there, its exit has been reported. */
  readonly finished: Promise<void>
  /** Sends a signal, named as in SSH without `SIG`, to the command's process group. */
  signal(name: string): void
  /** Ends the process group; for a client that went away. */
  end(): void
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Runs the line with `sh` and joins its three streams to the channel. */
export function startCommand(channel: ServerChannel, line: string, context: CommandContext): RunningCommand {
  const child = startGroup(line, context.cwd, context.env)
  const exited = exitOf(child)
  const relay = relayOutput(child, channel)
  giveInput(child, channel)
  const finished = Promise.all([exited, relay.done]).then(([exit]) => report(channel, exit))
  return {
    finished,
    signal: (name) => {
      const full = `SIG${name}`
      if (isSignal(full)) signalGroup(child, full)
    },
    end: () => {
      if (child.exitCode === null || !relay.isDone()) void endGroup(child, context.clock)
      relay.stop()
      channel.unpipe(child.stdin)
      child.stdin.destroy()
    },
  }
}

const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name)

/** sshd's status for a command that could not be started. */
const NOT_STARTED = 255

const exitOf = (child: ChildProcessWithoutNullStreams): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('error', () => resolve({ code: NOT_STARTED, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })

const giveInput = (child: ChildProcessWithoutNullStreams, channel: ServerChannel): void => {
  // A channel's own errors are followed by its close; without a listener they would end the process.
  channel.on('error', () => undefined)
  // A command that does not read its input must not block the channel for the client.
  child.stdin.on('error', () => channel.resume())
  channel.pipe(child.stdin)
}

const report = (channel: ServerChannel, { code, signal }: Exit): void => {
  try {
    if (signal) channel.exit(signal.slice('SIG'.length), false, '')
    else channel.exit(code ?? NOT_STARTED)
    channel.end()
  } catch {
    // The client broke its connection in a way that the library does not expect; its other commands still end.
    channel.destroy()
  }
}
