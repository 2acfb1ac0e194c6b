import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Command } from '@fleet/shell'
import { type CommandResult, type LocalOptions, runLocally, SshFailure } from '@fleet/ssh'
import { endAfterTests } from '../after-tests.ts'
import type { Reply, Request } from './messages.ts'

const PROGRAM = join(import.meta.dirname, 'program.ts')

interface Pending {
  take(reply: Reply): void
  lose(): void
}

/** A small process that starts the commands of this one. */
class CommandRunner {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending>()
  #last = 0

  constructor() {
    // None of the flags of a test run; the tests that it would run are those of its parent.
    this.#child = fork(PROGRAM, [], { execArgv: [], serialization: 'advanced' })
    this.#child.on('message', (reply: Reply) => this.#pending.get(reply.id)?.take(reply))
    this.#child.once('exit', () => {
      for (const { lose } of this.#pending.values()) lose()
    })
    this.#child.unref()
    this.#child.channel?.unref()
  }

  get isGone(): boolean {
    return !this.#child.connected
  }

  run(command: Command, options: LocalOptions): Promise<CommandResult> {
    const id = (this.#last += 1)
    const { signal, onOutput } = options
    const cancel = (): void => this.#send({ kind: 'cancel', id })
    signal?.addEventListener('abort', cancel, { once: true })
    return new Promise<CommandResult>((resolve, reject) => {
      const take = (reply: Reply): void => {
        if (reply.kind === 'output') onOutput?.(reply.stream, asBuffer(reply.chunk))
        else if (reply.kind === 'ended') resolve(withBuffers(reply.result))
        else reject(reply.kind === 'failed' ? new SshFailure(reply.failure, reply.sent) : reply.error)
      }
      this.#wait(id, { take, lose: () => reject(new Error('the process that runs commands has ended')) })
      this.#send({ kind: 'run', id, ...sentOf(command, options) })
    }).finally(() => {
      signal?.removeEventListener('abort', cancel)
      this.#forget(id)
    })
  }

  /** Resolves when it has ended, so that its processor time counts for this process. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.ref()
    this.#child.disconnect()
    await ended
  }

  #send(request: Request): void {
    if (this.#child.connected) this.#child.send(request)
  }

  // Only while a command runs does it keep this process alive.
  #wait(id: number, pending: Pending): void {
    if (this.#pending.size === 0) this.#child.channel?.ref()
    this.#pending.set(id, pending)
  }

  #forget(id: number): void {
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#child.channel?.unref()
  }
}

/** The one of this process. */
let runner: CommandRunner | undefined

/**
 * Runs a command as `runLocally` does, from a small process beside this one: starting a process copies the page tables of
 * the one that starts it, and a test process has hundreds of megabytes. Streams do not cross, so commands with one
 * are started here.
 */
export function runBeside(command: Command, options: LocalOptions): Promise<CommandResult> {
  if (options.stdoutTo || options.stdinFrom || options.clock || options.signal?.aborted)
    return runLocally(command, options)
  if (runner === undefined || runner.isGone) runner = startRunner()
  return runner.run(command, options)
}

function startRunner(): CommandRunner {
  const started = new CommandRunner()
  endAfterTests(() => started.end())
  return started
}

function sentOf(
  { stdin, ...command }: Command,
  { cwd, env, timeoutMilliseconds, maxOutputBytes, onOutput }: LocalOptions,
): Omit<Extract<Request, { kind: 'run' }>, 'kind' | 'id'> {
  return {
    command: { ...command, secret: stdin?.reveal() },
    options: { cwd, env, timeoutMilliseconds, ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }) },
    isObserved: onOutput !== undefined,
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const withBuffers = (result: CommandResult): CommandResult => ({
  ...result,
  stdout: asBuffer(result.stdout),
  stderr: asBuffer(result.stderr),
})
