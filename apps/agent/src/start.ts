import { systemClock, systemIds } from '@fleet/kernel'
import { attend } from './attend.ts'
import type { Configuration } from './files.ts'
import { makeGateway } from './gateway.ts'

export interface RunningAgent extends AsyncDisposable {
  /** Leaves the fleet and ends all that it reads. */
  stop(): Promise<void>
}

/**
 * The same agent within another process and without root: heartbeat, checkouts and the logs of frameworks. Units, containers
 * and the journal belong to the machine, which others share.
 */
export function startAgent(configuration: Configuration, say: (line: string) => void): RunningAgent {
  const ending = new AbortController()
  const { rootCertificate } = configuration
  const gateway = makeGateway(configuration, systemClock)
  const machine = { bus: undefined, docker: undefined, hasOneUser: true }
  const deps = { gateway, clock: systemClock, ids: systemIds, rootCertificate, machine, say }
  const running = attend(deps, ending.signal).catch((error: unknown) => {
    // One agent that breaks takes neither the fleet nor the other agents with it.
    say(`the agent ended: ${error instanceof Error ? error.name : 'failure'}`)
  })
  const stop = async (): Promise<void> => {
    ending.abort()
    await running
  }
  return { stop, [Symbol.asyncDispose]: stop }
}
