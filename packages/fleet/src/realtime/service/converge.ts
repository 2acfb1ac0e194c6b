import { fail } from '@fleet/contract'
import { clockApart } from '@fleet/kernel'
import { ensureService, startService } from '#/managed-services/api.ts'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { accountOf, type WebsocketDeps } from '#/realtime/service/deps.ts'
import type { ProbeAnswer } from '#/realtime/service/ports.ts'
import { websocketService } from '#/realtime/service/server.ts'
import { serverOf } from '#/realtime/service/target.ts'

/** A machine that has just begun to serve may be slow. */
const ANSWER_MILLISECONDS = 15_000
const BETWEEN_MILLISECONDS = 500

export interface ConvergeOptions {
  readonly force: boolean
}

type Changed = 'applied' | 'unchanged'

/** Executable, account, configuration and unit; nothing is started. Throws `realtime.*`, `cli.*` and the codes of NodeSession. */
export async function ensureFiles(
  deps: WebsocketDeps,
  node: NodeSession,
  { force }: ConvergeOptions,
): Promise<Changed> {
  const service = websocketService(accountOf(deps), await serverOf(deps, node.node))
  return (await ensureService(deps, node, service, { force, start: false })).outcome
}

/** The process is the one that the files describe. Throws `realtime.start_failed` and the codes of NodeSession. */
export async function ensureRunning(
  deps: WebsocketDeps,
  node: NodeSession,
  { force }: ConvergeOptions,
): Promise<Changed> {
  const service = websocketService(accountOf(deps), await serverOf(deps, node.node))
  return startService(deps, node, service, { restart: force })
}

/** The gateway reaches it as it will when it publishes. Throws `realtime.not_answering`. */
export async function requireAnswer(deps: WebsocketDeps, node: NodeSession): Promise<void> {
  const { clock, probe } = deps
  const { signal, deadline } = node.call
  const server = await serverOf(deps, node.node)
  const end = clock.ticks() + Math.min(ANSWER_MILLISECONDS, deadline.forwardMilliseconds())
  let answer: ProbeAnswer
  do {
    answer = await probe.ask(server)
    if (answer.isTaken) return
    await clock.sleep(BETWEEN_MILLISECONDS, signal)
  } while (clock.ticks() < end && !signal.aborted)
  throw notAnswering(node, answer)
}

function notAnswering({ node }: NodeSession, { clockAheadSeconds: ahead }: ProbeAnswer): Error {
  const details = { node: identityOf(node) }
  if (ahead === undefined) return fail('realtime.not_answering', { details })
  return fail('realtime.not_answering', {
    message: `The WebSocket server on ${node.name} refuses what the gateway sends, since the clock of ${node.name} is ${clockApart(ahead)}. Set the clock that is wrong, then repeat the request.`,
    details: { ...details, clock_ahead_seconds: ahead },
  })
}
