import { fail } from '@fleet/contract'
import { ensureService, startService } from '#/managed-services/api.ts'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { accountOf, type WebsocketParts } from '#/realtime/service/parts.ts'
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
  parts: WebsocketParts,
  node: NodeSession,
  { force }: ConvergeOptions,
): Promise<Changed> {
  const service = websocketService(accountOf(parts), await serverOf(parts, node.node))
  return (await ensureService(parts, node, service, { force, start: false })).outcome
}

/** The process is the one that the files describe. Throws `realtime.start_failed` and the codes of NodeSession. */
export async function ensureRunning(
  parts: WebsocketParts,
  node: NodeSession,
  { force }: ConvergeOptions,
): Promise<Changed> {
  const service = websocketService(accountOf(parts), await serverOf(parts, node.node))
  return startService(parts, node, service, { restart: force })
}

/** The gateway reaches it as it will when it publishes. Throws `realtime.not_answering`. */
export async function requireAnswer(parts: WebsocketParts, node: NodeSession): Promise<void> {
  const { clock, probe } = parts
  const { signal, deadline } = node.call
  const server = await serverOf(parts, node.node)
  const end = clock.ticks() + Math.min(ANSWER_MILLISECONDS, deadline.forwardMilliseconds())
  do {
    if (await probe.answers(server)) return
    await clock.sleep(BETWEEN_MILLISECONDS, signal)
  } while (clock.ticks() < end && !signal.aborted)
  throw fail('realtime.not_answering', { details: { node: identityOf(node.node) } })
}
