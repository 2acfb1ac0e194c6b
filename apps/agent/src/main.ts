import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Ids, systemClock, systemIds } from '@fleet/kernel'
import { CannotRun, readArguments } from '@fleet/node-program'
import { attend } from './attend.ts'
import { readConfiguration } from './files.ts'
import { makeGateway } from './gateway.ts'
import { takeLock } from './lock.ts'
import type { Machine } from './session.ts'
import { DOCKER_SOCKET } from './units/docker-socket.ts'
import { SYSTEM_BUS } from './units/systemd.ts'

export interface MainDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly say: (line: string) => void
  /** Ends the agent. */
  readonly signal: AbortSignal
  /** Another machine's services, for tests. */
  readonly machine?: Machine
}

const PROGRAM = { program: 'agent', title: 'the agent' } as const
const MACHINE: Machine = { bus: SYSTEM_BUS, docker: DOCKER_SOCKET }

/** `fleet node-agent`: runs until SIGTERM or SIGINT and answers the exit status. */
export async function main(words: readonly string[]): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
  const say = (line: string): void => console.error(line)
  return runAgent(words, { clock: systemClock, ids: systemIds, say, signal: stop.signal })
}

/** An agent that cannot run ends at once and says why; its unit starts it again after 2 s (AGT-017). */
export async function runAgent(words: readonly string[], deps: MainDeps): Promise<number> {
  try {
    const { home, runtime, configuration: digest } = readArguments(words, PROGRAM)
    using _lock = takeLock(runtime)
    const configuration = readConfiguration(home)
    const gateway = makeGateway(configuration, deps.clock)
    // In memory: the gateway's converge waits for this line and compares it.
    writeFileSync(join(runtime, 'ready'), `${process.pid} ${digest}\n`, { mode: 0o600 })
    const { rootCertificate } = configuration
    await attend({ ...deps, gateway, rootCertificate, machine: deps.machine ?? MACHINE }, deps.signal)
    return 0
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error
    deps.say(`fleet: ${error.message}`)
    return error.exitStatus
  }
}
