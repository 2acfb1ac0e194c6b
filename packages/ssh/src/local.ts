import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { type Clock, systemClock } from '@fleet/kernel'
import { type Command, inputOf } from '@fleet/shell'
import { endGroup, signalGroup, startGroup } from './local-process.ts'
import { Output } from './output.ts'
import { atMost, orAborted, startTimeLimit } from './time-limit.ts'
import { type CommandResult, type OutputListener, SshFailure } from './types.ts'

export interface LocalOptions {
  readonly cwd: string
  /** The whole environment of the command; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMilliseconds: number
  readonly signal?: AbortSignal
  /** Bytes of standard output and standard error each; 1 MiB when absent. */
  readonly maxOutputBytes?: number
  /** As for a Node. */
  readonly onOutput?: OutputListener
  readonly stdoutTo?: Writable
  readonly stdinFrom?: Readable
  readonly clock?: Clock
}

/** A killed group closes its outputs at once, unless a descendant left the group and holds them. */
const CLOSING_MILLISECONDS = 500

/**
 * Runs a command on this machine with `sh`, as the Node shell runs it on a Node: own process group, time limit, output
 * cap. Throws SshFailure `timeout`, `cancelled` or `output_too_large`, and an Error when it cannot be started.
 */
export async function runLocally(command: Command, options: LocalOptions): Promise<CommandResult> {
  const clock = options.clock ?? systemClock
  using limit = startTimeLimit(clock, options.timeoutMilliseconds, options.signal)
  limit.signal.throwIfAborted()
  const child = startGroup(command.line, options.cwd, options.env)
  const outputs = Output.pair(options.maxOutputBytes ?? 1024 * 1024, options.onOutput)
  const result = resultOf(child, outputs, options.stdoutTo)
  for (const part of inputOf(command)) child.stdin.write(part)
  if (options.stdinFrom) pour(options.stdinFrom, child)
  else child.stdin.end()
  try {
    return await orAborted(result, limit.signal)
  } catch (error) {
    if (!(error instanceof SshFailure)) throw error
    const closed = new Promise((resolve) => child.once('close', resolve))
    await endGroup(child, clock)
    if (child.exitCode === null && child.signalCode === null)
      await atMost(clock, CLOSING_MILLISECONDS, closed)
    throw new SshFailure(error.kind, true)
  }
}

const resultOf = (
  child: ChildProcessWithoutNullStreams,
  [stdout, stderr]: readonly [Output, Output],
  stdoutTo?: Writable,
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const keepIn = (output: Output) => (chunk: Buffer) => {
      if (!output.add(chunk)) reject(new SshFailure('output_too_large', true))
    }
    if (stdoutTo)
      child.stdout.pipe(
        stdoutTo.on('error', () => undefined),
        { end: false },
      )
    else child.stdout.on('data', keepIn(stdout))
    child.stderr.on('data', keepIn(stderr))
    // A command that reads no input closes it early; that is its right.
    child.stdin.on('error', () => undefined)
    child.once('error', reject)
    child.once('close', (exitCode, signal) => {
      // What a killed command has printed has no end, as on a Node.
      if (exitCode === null) stdoutTo?.destroy()
      else stdoutTo?.end()
      resolve({ exitCode, signal, stdout: stdout.bytes(), stderr: stderr.bytes() })
    })
  })

/** An input that broke off ends the command, which must not take it for complete. */
function pour(from: Readable, child: ChildProcessWithoutNullStreams): void {
  from.on('error', () => undefined)
  from.once('close', () => {
    if (!from.readableEnded) signalGroup(child, 'SIGKILL')
  })
  child.once('close', () => from.destroy())
  if (from.destroyed) signalGroup(child, 'SIGKILL')
  else from.pipe(child.stdin)
}
