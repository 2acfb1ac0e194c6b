import { join } from 'node:path'
import { dial, ForwardRefused, SshFailure, type SshFailureKind, type SshPool } from '@fleet/ssh'
import type { Command } from '@fleet/shell'
import { runBeside } from './command-runner/run-beside.ts'
import { FINGERPRINT } from './factories.ts'
import { withoutMachine } from './off-limits.ts'

/** Which commands a fault hits: a number counts all commands from 1, a predicate sees their `shown`. */
export type Which = number | ((shown: string) => boolean)

export interface LocalPool extends SshPool {
  /** What was asked for, in order: the `shown` of every command, those that a fault kept from running included. */
  readonly commands: readonly string[]
  /** What really ran, in order. */
  readonly executed: readonly string[]
  /** The command never runs: SshFailure of the kind with `sent` false. */
  failBefore(which: Which, kind?: SshFailureKind): void
  /** The command runs to its end, but its result is lost: SshFailure of the kind with `sent` true. */
  loseReplyOf(which: Which, kind?: SshFailureKind): void
  /** Ends all faults. */
  clearFaults(): void
}

export interface LocalPoolOptions {
  /** Working directory and HOME of every command. */
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
}

interface Fault {
  readonly hits: (shown: string, number: number) => boolean
  readonly failure: SshFailure
}

/**
 * A pool whose Nodes are all this machine: commands run with `sh`, so their real scripts are tested, without the programs that
 * would change it as a whole.
 */
export function localPool({ home, env }: LocalPoolOptions): LocalPool {
  const commands: string[] = []
  const executed: string[] = []
  const faults: Fault[] = []
  const add = (which: Which, failure: SshFailure): void => {
    faults.push({
      hits: (shown, number) => (typeof which === 'number' ? which === number : which(shown)),
      failure,
    })
  }
  const execute = async (
    command: Command,
    options: Parameters<SshPool['run']>[2],
  ): ReturnType<SshPool['run']> => {
    executed.push(command.shown)
    return runBeside(command, {
      ...options,
      cwd: home,
      env: {
        LANG: 'C.UTF-8',
        HOME: home,
        FLEET_RUN: join(home, '.run'),
        ...env,
        PATH: withoutMachine(env?.['PATH'] ?? PATH),
      },
    })
  }
  return {
    commands,
    executed,
    failBefore: (which, kind = 'unreachable') => add(which, new SshFailure(kind, false)),
    loseReplyOf: (which, kind = 'connection_lost') => add(which, new SshFailure(kind, true)),
    clearFaults: () => void faults.splice(0),
    run: async (_target, command, options) => {
      const number = commands.push(command.shown)
      const failure = faults.find((fault) => fault.hits(command.shown, number))?.failure
      if (failure && !failure.sent) throw failure
      const result = await execute(command, options)
      if (failure) throw failure
      return result
    },
    forward: async (_target, destination, { signal }) => {
      if ('socketPath' in destination) throw new ForwardRefused('a local pool dials ports alone')
      return dial(destination, signal ?? new AbortController().signal)
    },
    probe: () => Promise.resolve(),
    scan: () => Promise.resolve(FINGERPRINT),
    forget: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
